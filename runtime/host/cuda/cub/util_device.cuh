// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: what programs ask of the device.
#pragma once

#include "util_debug.cuh"

namespace cub {

inline int CurrentDevice() {
  int device = -1;
  return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}
inline int DeviceCount() {
  int count = -1;
  return cudaGetDeviceCount(&count) == cudaSuccess ? count : -1;
}
/// The compute capability: 900 for 9.0.
inline cudaError_t SmVersion(int &version, int device = CurrentDevice()) {
  int major = 0, minor = 0;
  cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  version = major * 100 + minor * 10;
  return error;
}
inline cudaError_t PtxVersion(int &version, int device = CurrentDevice()) {
  return SmVersion(version, device);
}
inline cudaError_t SyncStream(cudaStream_t stream) { return cudaStreamSynchronize(stream); }
template <class Kernel>
cudaError_t MaxSmOccupancy(int &blocks, Kernel kernel, int threads, int sharedBytes = 0) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                       static_cast<size_t>(sharedBytes));
}

} // namespace cub
