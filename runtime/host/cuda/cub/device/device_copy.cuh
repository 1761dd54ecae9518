// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: copies of many ranges of items.
#pragma once

#include "../detail/device_call.cuh"

namespace cub {

struct DeviceCopy {
  template <class In, class Out, class Sizes>
  static cudaError_t Batched(void *storage, size_t &bytes, In in, Out out, Sizes sizes,
                             detail::Count ranges, cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      for (detail::Count i = 0; i < ranges; ++i) {
        auto from = in[i];
        auto to = out[i];
        const auto size = static_cast<detail::Count>(sizes[i]);
        for (detail::Count j = 0; j < size; ++j)
          to[j] = from[j];
      }
    });
  }
};

} // namespace cub
