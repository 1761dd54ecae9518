// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: what adjacent items of whole arrays make together.
#pragma once

#include "../detail/device_call.cuh"

namespace cub {

/// The first item, or the last one, stays as it is.
struct DeviceAdjacentDifference {
  template <class In, class Out, class Operation = cub::Difference>
  static cudaError_t SubtractLeftCopy(void *storage, size_t &bytes, In in, Out out,
                                      detail::Count count, Operation operation = {},
                                      cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] {
      for (detail::Count i = count - 1; i >= 0; --i) {
        if (i > 0)
          out[i] = operation(in[i], in[i - 1]);
        else
          out[i] = in[i];
      }
    });
  }
  template <class In, class Operation = cub::Difference>
  static cudaError_t SubtractLeft(void *storage, size_t &bytes, In items, detail::Count count,
                                  Operation operation = {}, cudaStream_t = 0, bool = false) {
    return SubtractLeftCopy(storage, bytes, items, items, count, operation);
  }
  template <class In, class Out, class Operation = cub::Difference>
  static cudaError_t SubtractRightCopy(void *storage, size_t &bytes, In in, Out out,
                                       detail::Count count, Operation operation = {},
                                       cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] {
      for (detail::Count i = 0; i < count; ++i) {
        if (i + 1 < count)
          out[i] = operation(in[i], in[i + 1]);
        else
          out[i] = in[i];
      }
    });
  }
  template <class In, class Operation = cub::Difference>
  static cudaError_t SubtractRight(void *storage, size_t &bytes, In items, detail::Count count,
                                   Operation operation = {}, cudaStream_t = 0, bool = false) {
    return SubtractRightCopy(storage, bytes, items, items, count, operation);
  }
};

} // namespace cub
