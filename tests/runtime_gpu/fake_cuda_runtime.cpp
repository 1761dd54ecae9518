// SPDX-License-Identifier: Apache-2.0
// Stands in for the shared CUDA runtime: device memory is host memory, and a launch only notes what
// was launched.
#include "relayout/base/cuda_abi.h"

#include <cstddef>
#include <cstring>

using namespace relayout::cuda_abi;

extern "C" {

const void *launchedKernel = nullptr;

// NOLINTBEGIN(bugprone-reserved-identifier): CUDA's names
Status __cudaLaunchKernel(void *kernel, dim3, dim3, void **, size_t, cudaStream_t) {
  launchedKernel = kernel;
  return 0;
}

Status __cudaLaunchKernel_ptsz(void *kernel, dim3, dim3, void **, size_t, cudaStream_t) {
  launchedKernel = kernel;
  return 0;
}
// NOLINTEND(bugprone-reserved-identifier)

int cudaMemcpy(void *to, const void *from, std::size_t bytes, int) {
  std::memcpy(to, from, bytes);
  return 0;
}

int cudaMemcpy2D(void *to, std::size_t toPitch, const void *from, std::size_t fromPitch,
                 std::size_t width, std::size_t height, int) {
  for (std::size_t row = 0; row < height; ++row)
    std::memcpy(static_cast<char *>(to) + row * toPitch,
                static_cast<const char *>(from) + row * fromPitch, width);
  return 0;
}
}
