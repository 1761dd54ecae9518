// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: copies of many buffers.
#pragma once

#include "../detail/device_call.cuh"

#include <cstring>

namespace cub {

struct DeviceMemcpy {
  template <class In, class Out, class Sizes>
  static cudaError_t Batched(void *storage, size_t &bytes, In in, Out out, Sizes sizes,
                             detail::Count buffers, cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      for (detail::Count i = 0; i < buffers; ++i) {
        const void *const from = in[i];
        void *const to = out[i];
        if (const auto size = static_cast<size_t>(sizes[i]); size > 0)
          std::memcpy(to, from, size);
      }
    });
  }
};

} // namespace cub
