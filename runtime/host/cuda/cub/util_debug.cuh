// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: reports of errors.
#pragma once

#include "util_type.cuh"

#include <cstdio>
#include <cstdlib>

namespace cub {
inline cudaError_t Debug(cudaError_t error, const char *file, int line) {
  if (error != cudaSuccess)
    std::fprintf(stderr, "CUDA error %d [%s, %d]: %s\n", error, file, line,
                 cudaGetErrorString(error));
  return error;
}
} // namespace cub

#define CubDebug(call) ::cub::Debug(static_cast<cudaError_t>(call), __FILE__, __LINE__)
#define CubDebugExit(call)                                                                         \
  if (CubDebug(call) != cudaSuccess)                                                               \
  std::exit(1)
#define _CubLog(format, ...) printf(format, __VA_ARGS__)
