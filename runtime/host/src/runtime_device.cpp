// SPDX-License-Identifier: Apache-2.0
// Executor: the CUDA runtime's errors and its one device, described like a current GPU where
// programs size their launches by it.
#include "arena.h"
#include "executor.h"

#include "cuda_runtime_api.h"

#include <cstdio>
#include <cstring>
#include <iterator>

namespace relayout::host {
namespace {

thread_local cudaError_t lastError = cudaSuccess;

struct ErrorRow {
  cudaError_t error;
  const char *name;
  const char *text;
};
constexpr ErrorRow kErrors[] = {
#define RELAYOUT_ERROR(name, value, text) {name, #name, text},
#include "relayout/host/errors.inc"
#undef RELAYOUT_ERROR
};

const ErrorRow *find(cudaError_t error) {
  for (const ErrorRow &row : kErrors)
    if (row.error == error)
      return &row;
  return nullptr;
}

constexpr int kProcessors = 132;
constexpr int kProcessorThreads = 2048;
constexpr int kProcessorBlocks = 32;
constexpr int kRegisters = 65536;
constexpr int kWarpSize = 32;
constexpr int kClockKhz = 1980000;
constexpr int kMemoryClockKhz = 2619000;
constexpr int kMemoryBusBits = 5120;
constexpr int kL2Bytes = 50 << 20;
constexpr std::size_t kConstantBytes = 64u << 10;
constexpr std::size_t kProcessorSharedBytes = 228u << 10;
constexpr std::size_t kReservedSharedBytes = 1u << 10;
constexpr int kComputeMajor = 9;
constexpr int kComputeMinor = 0;
constexpr int kVersion = CUDART_VERSION;

} // namespace

cudaError_t fail(cudaError_t error) {
  lastError = error;
  return error;
}

namespace detail {

cudaError_t setFunctionAttribute(const void *function, cudaFuncAttribute attribute, int value) {
  if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout)
    return cudaSuccess;
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize)
    return host::fail(cudaErrorInvalidValue);
  const cudaError_t status = setDynamicSharedLimit(function, value);
  return status == cudaSuccess ? status : host::fail(status);
}

cudaError_t functionAttributes(cudaFuncAttributes *attributes, const void *function) {
  if (attributes == nullptr || function == nullptr)
    return host::fail(cudaErrorInvalidValue);
  *attributes = {};
  attributes->maxThreadsPerBlock = kMaxBlockThreads;
  attributes->numRegs = kRegisters / kProcessorThreads;
  attributes->ptxVersion = attributes->binaryVersion = kComputeMajor * 10 + kComputeMinor;
  attributes->maxDynamicSharedSizeBytes = dynamicSharedLimit(function);
  attributes->preferredShmemCarveout = cudaSharedmemCarveoutDefault;
  return cudaSuccess;
}

cudaError_t activeBlocks(int *blocks, int threads, size_t sharedBytes) {
  if (blocks == nullptr || threads <= 0)
    return host::fail(cudaErrorInvalidValue);
  if (threads > static_cast<int>(kMaxBlockThreads) || sharedBytes > kSharedBytesOptIn) {
    *blocks = 0;
    return cudaSuccess;
  }
  const int warpThreads = (threads + kWarpSize - 1) / kWarpSize * kWarpSize;
  int fitting = kProcessorThreads / warpThreads;
  if (fitting > kProcessorBlocks)
    fitting = kProcessorBlocks;
  const auto byShared =
      static_cast<int>(kProcessorSharedBytes / (sharedBytes + kReservedSharedBytes));
  *blocks = fitting < byShared ? fitting : byShared;
  return cudaSuccess;
}

} // namespace detail
} // namespace relayout::host

using namespace relayout::host;

extern "C" {

cudaError_t cudaGetLastError(void) {
  const cudaError_t error = lastError;
  lastError = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError(void) { return lastError; }

const char *cudaGetErrorString(cudaError_t error) {
  const ErrorRow *const row = find(error);
  return row ? row->text : "unrecognized error code";
}

const char *cudaGetErrorName(cudaError_t error) {
  const ErrorRow *const row = find(error);
  return row ? row->name : "unrecognized error code";
}

cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  return device == 0 ? cudaSuccess : fail(cudaErrorInvalidDevice);
}

cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
  if (properties == nullptr || device != 0)
    return fail(device != 0 ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  cudaDeviceProp p;
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "relayout CPU executor");
  p.totalGlobalMem = Arena::instance().totalBytes();
  p.sharedMemPerBlock = kSharedBytes;
  p.regsPerBlock = p.regsPerMultiprocessor = kRegisters;
  p.warpSize = kWarpSize;
  p.memPitch = 0x7fffffff;
  p.maxThreadsPerBlock = kMaxBlockThreads;
  p.maxThreadsDim[0] = p.maxThreadsDim[1] = kMaxBlockThreads;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 0x7fffffff;
  p.maxGridSize[1] = p.maxGridSize[2] = 0xffff;
  p.clockRate = kClockKhz;
  p.totalConstMem = kConstantBytes;
  p.major = kComputeMajor;
  p.minor = kComputeMinor;
  p.textureAlignment = 512;
  p.deviceOverlap = 1;
  p.multiProcessorCount = kProcessors;
  p.canMapHostMemory = 1;
  p.concurrentKernels = 1;
  p.asyncEngineCount = 1;
  p.unifiedAddressing = 1;
  p.memoryClockRate = kMemoryClockKhz;
  p.memoryBusWidth = kMemoryBusBits;
  p.l2CacheSize = kL2Bytes;
  p.maxThreadsPerMultiProcessor = kProcessorThreads;
  p.globalL1CacheSupported = p.localL1CacheSupported = 1;
  p.sharedMemPerMultiprocessor = kProcessorSharedBytes;
  p.managedMemory = p.concurrentManagedAccess = p.cooperativeLaunch = 1;
  p.sharedMemPerBlockOptin = kSharedBytesOptIn;
  p.maxBlocksPerMultiProcessor = kProcessorBlocks;
  p.reservedSharedMemPerBlock = kReservedSharedBytes;
  *properties = p;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
  cudaDeviceProp p;
  if (const cudaError_t status = cudaGetDeviceProperties(&p, device); status != cudaSuccess)
    return status;
  switch (attribute) {
  case cudaDevAttrMaxThreadsPerBlock:
    *value = p.maxThreadsPerBlock;
    break;
  case cudaDevAttrMaxBlockDimX:
    *value = p.maxThreadsDim[0];
    break;
  case cudaDevAttrMaxBlockDimY:
    *value = p.maxThreadsDim[1];
    break;
  case cudaDevAttrMaxBlockDimZ:
    *value = p.maxThreadsDim[2];
    break;
  case cudaDevAttrMaxGridDimX:
    *value = p.maxGridSize[0];
    break;
  case cudaDevAttrMaxGridDimY:
    *value = p.maxGridSize[1];
    break;
  case cudaDevAttrMaxGridDimZ:
    *value = p.maxGridSize[2];
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *value = static_cast<int>(p.sharedMemPerBlock);
    break;
  case cudaDevAttrTotalConstantMemory:
    *value = static_cast<int>(p.totalConstMem);
    break;
  case cudaDevAttrWarpSize:
    *value = p.warpSize;
    break;
  case cudaDevAttrMaxRegistersPerBlock:
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    *value = kRegisters;
    break;
  case cudaDevAttrClockRate:
    *value = p.clockRate;
    break;
  case cudaDevAttrMultiProcessorCount:
    *value = p.multiProcessorCount;
    break;
  case cudaDevAttrIntegrated:
  case cudaDevAttrComputeMode:
  case cudaDevAttrPageableMemoryAccess:
    *value = 0;
    break;
  case cudaDevAttrCanMapHostMemory:
  case cudaDevAttrConcurrentKernels:
  case cudaDevAttrUnifiedAddressing:
  case cudaDevAttrManagedMemory:
  case cudaDevAttrConcurrentManagedAccess:
  case cudaDevAttrMemoryPoolsSupported:
  case cudaDevAttrCooperativeLaunch:
    *value = 1;
    break;
  case cudaDevAttrMemoryClockRate:
    *value = p.memoryClockRate;
    break;
  case cudaDevAttrGlobalMemoryBusWidth:
    *value = p.memoryBusWidth;
    break;
  case cudaDevAttrL2CacheSize:
    *value = p.l2CacheSize;
    break;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    *value = p.maxThreadsPerMultiProcessor;
    break;
  case cudaDevAttrComputeCapabilityMajor:
    *value = p.major;
    break;
  case cudaDevAttrComputeCapabilityMinor:
    *value = p.minor;
    break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    *value = static_cast<int>(p.sharedMemPerMultiprocessor);
    break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *value = static_cast<int>(p.sharedMemPerBlockOptin);
    break;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    *value = p.maxBlocksPerMultiProcessor;
    break;
  default:
    return fail(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}

cudaError_t cudaDeviceSynchronize(void) { return cudaSuccess; }
cudaError_t cudaDeviceReset(void) {
  lastError = cudaSuccess;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t) { return cudaSuccess; }

cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit) {
  switch (limit) {
  case cudaLimitStackSize:
    *value = 1024;
    return cudaSuccess;
  case cudaLimitPrintfFifoSize:
    *value = 7u << 20;
    return cudaSuccess;
  case cudaLimitMallocHeapSize:
    *value = 8u << 20;
    return cudaSuccess;
  }
  return fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) {
  *can = 0;
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int, unsigned int) { return fail(cudaErrorInvalidDevice); }
cudaError_t cudaDeviceDisablePeerAccess(int) { return fail(cudaErrorInvalidDevice); }

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *busId, int length, int device) {
  if (busId == nullptr || length <= 0 || device != 0)
    return fail(cudaErrorInvalidValue);
  std::snprintf(busId, static_cast<std::size_t>(length), "0000:00:00.0");
  return cudaSuccess;
}

cudaError_t cudaGetDeviceFlags(unsigned int *flags) {
  *flags = cudaDeviceScheduleAuto;
  return cudaSuccess;
}

cudaError_t cudaInitDevice(int device, unsigned int, unsigned int) { return cudaSetDevice(device); }

cudaError_t cudaDriverGetVersion(int *version) {
  *version = kVersion;
  return cudaSuccess;
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = kVersion;
  return cudaSuccess;
}

cudaError_t cudaProfilerStart(void) { return cudaSuccess; }
cudaError_t cudaProfilerStop(void) { return cudaSuccess; }

} // extern "C"
