// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: an allocator that keeps nothing back, as allocations cost little here.
#pragma once

#include "util_debug.cuh"

namespace cub {

struct CachingDeviceAllocator {
  static constexpr unsigned int INVALID_BIN = ~0u;
  static constexpr size_t INVALID_SIZE = ~size_t{0};
  static constexpr int INVALID_DEVICE_ORDINAL = -1;

  explicit CachingDeviceAllocator(unsigned int /*binGrowth*/, unsigned int /*minBin*/ = 1,
                                  unsigned int /*maxBin*/ = INVALID_BIN,
                                  size_t /*maxCachedBytes*/ = INVALID_SIZE,
                                  bool /*skipCleanup*/ = false, bool /*debug*/ = false) {}
  explicit CachingDeviceAllocator(bool /*skipCleanup*/ = false, bool /*debug*/ = false) {}

  cudaError_t SetMaxCachedBytes(size_t) { return cudaSuccess; }

  /// Never null: to algorithms this would be the question for the size.
  cudaError_t DeviceAllocate(void **pointer, size_t bytes, cudaStream_t = nullptr) {
    return cudaMalloc(pointer, bytes > 0 ? bytes : 1);
  }
  cudaError_t DeviceAllocate(int, void **pointer, size_t bytes, cudaStream_t = nullptr) {
    return DeviceAllocate(pointer, bytes);
  }
  cudaError_t DeviceFree(void *pointer) { return cudaFree(pointer); }
  cudaError_t DeviceFree(int, void *pointer) { return cudaFree(pointer); }
  cudaError_t FreeAllCached() { return cudaSuccess; }
};

} // namespace cub
