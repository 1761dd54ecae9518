// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: reports of errors.
#pragma once

#include "util_type.cuh"

#include <cstdio>

namespace cub {
inline cudaError_t Debug(cudaError_t error, const char *file, int line) {
  if (error != cudaSuccess)
    std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", error, file, line,
                 cudaGetErrorString(error));
  return error;
}
} // namespace cub

#define CubDebug(call) ::cub::Debug(call, __FILE__, __LINE__)
#define CubDebugExit(call)                                                                         \
  if (CubDebug(call) != cudaSuccess)                                                               \
  std::exit(1)
