// SPDX-License-Identifier: Apache-2.0
// Executor: the CUDA runtime's errors and its one device, described like a current GPU where
// programs size their launches by it.
#include "arena.h"
#include "block_runner.h"
#include "devices.h"
#include "executor.h"
#include "failure.h"
#include "shared_arrays.h"

#include "cuda_runtime_api.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <iterator>

namespace relayout::host {
namespace {

thread_local cudaError_t lastError = cudaSuccess;
thread_local int currentDevice = 0;

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
constexpr int kPersistingL2Bytes = kL2Bytes / 2;
constexpr int kPolicyWindowBytes = 128 << 20;
constexpr int kTextureWidth = 128 << 10;
constexpr int kTextureHeight = 64 << 10;
constexpr int kTextureDepth = 16 << 10;
constexpr std::size_t kConstantBytes = 64u << 10;
constexpr std::size_t kProcessorSharedBytes = 228u << 10;
constexpr std::size_t kReservedSharedBytes = 1u << 10;
constexpr int kComputeMajor = 9;
constexpr int kComputeMinor = 0;
constexpr int kVersion = CUDART_VERSION;

using Properties = cudaDeviceProp;

struct Attribute {
  cudaDeviceAttr attribute;
  int (*of)(const Properties &);
};

constexpr Attribute kAttributes[] = {
    {cudaDevAttrMaxThreadsPerBlock, [](const Properties &p) { return p.maxThreadsPerBlock; }},
    {cudaDevAttrMaxBlockDimX, [](const Properties &p) { return p.maxThreadsDim[0]; }},
    {cudaDevAttrMaxBlockDimY, [](const Properties &p) { return p.maxThreadsDim[1]; }},
    {cudaDevAttrMaxBlockDimZ, [](const Properties &p) { return p.maxThreadsDim[2]; }},
    {cudaDevAttrMaxGridDimX, [](const Properties &p) { return p.maxGridSize[0]; }},
    {cudaDevAttrMaxGridDimY, [](const Properties &p) { return p.maxGridSize[1]; }},
    {cudaDevAttrMaxGridDimZ, [](const Properties &p) { return p.maxGridSize[2]; }},
    {cudaDevAttrMaxSharedMemoryPerBlock,
     [](const Properties &p) { return static_cast<int>(p.sharedMemPerBlock); }},
    {cudaDevAttrTotalConstantMemory,
     [](const Properties &p) { return static_cast<int>(p.totalConstMem); }},
    {cudaDevAttrWarpSize, [](const Properties &p) { return p.warpSize; }},
    {cudaDevAttrMaxRegistersPerBlock, [](const Properties &) { return kRegisters; }},
    {cudaDevAttrMaxRegistersPerMultiprocessor, [](const Properties &) { return kRegisters; }},
    {cudaDevAttrClockRate, [](const Properties &p) { return p.clockRate; }},
    {cudaDevAttrMultiProcessorCount, [](const Properties &p) { return p.multiProcessorCount; }},
    {cudaDevAttrIntegrated, [](const Properties &) { return 0; }},
    {cudaDevAttrComputeMode, [](const Properties &) { return 0; }},
    {cudaDevAttrPageableMemoryAccess, [](const Properties &) { return 0; }},
    {cudaDevAttrClusterLaunch, [](const Properties &) { return 0; }},
    {cudaDevAttrIsMultiGpuBoard, [](const Properties &) { return 0; }},
    {cudaDevAttrHostNativeAtomicSupported, [](const Properties &) { return 0; }},
    {cudaDevAttrHostRegisterSupported, [](const Properties &) { return 1; }},
    {cudaDevAttrStreamPrioritiesSupported,
     [](const Properties &p) { return p.streamPrioritiesSupported; }},
    {cudaDevAttrKernelExecTimeout, [](const Properties &p) { return p.kernelExecTimeoutEnabled; }},
    {cudaDevAttrEccEnabled, [](const Properties &p) { return p.ECCEnabled; }},
    {cudaDevAttrPciBusId, [](const Properties &p) { return p.pciBusID; }},
    {cudaDevAttrPciDeviceId, [](const Properties &p) { return p.pciDeviceID; }},
    {cudaDevAttrPciDomainId, [](const Properties &p) { return p.pciDomainID; }},
    {cudaDevAttrTccDriver, [](const Properties &p) { return p.tccDriver; }},
    {cudaDevAttrGpuOverlap, [](const Properties &p) { return p.deviceOverlap; }},
    {cudaDevAttrAsyncEngineCount, [](const Properties &p) { return p.asyncEngineCount; }},
    {cudaDevAttrTextureAlignment,
     [](const Properties &p) { return static_cast<int>(p.textureAlignment); }},
    {cudaDevAttrCooperativeLaunch, [](const Properties &) { return 1; }},
    {cudaDevAttrCanMapHostMemory, [](const Properties &) { return 1; }},
    {cudaDevAttrConcurrentKernels, [](const Properties &) { return 1; }},
    {cudaDevAttrUnifiedAddressing, [](const Properties &) { return 1; }},
    {cudaDevAttrManagedMemory, [](const Properties &) { return 1; }},
    {cudaDevAttrConcurrentManagedAccess, [](const Properties &) { return 1; }},
    {cudaDevAttrMemoryPoolsSupported, [](const Properties &) { return 1; }},
    {cudaDevAttrMemoryClockRate, [](const Properties &p) { return p.memoryClockRate; }},
    {cudaDevAttrGlobalMemoryBusWidth, [](const Properties &p) { return p.memoryBusWidth; }},
    {cudaDevAttrL2CacheSize, [](const Properties &p) { return p.l2CacheSize; }},
    {cudaDevAttrMaxPersistingL2CacheSize,
     [](const Properties &p) { return p.persistingL2CacheMaxSize; }},
    {cudaDevAttrMaxAccessPolicyWindowSize,
     [](const Properties &p) { return p.accessPolicyMaxWindowSize; }},
    {cudaDevAttrMaxThreadsPerMultiProcessor,
     [](const Properties &p) { return p.maxThreadsPerMultiProcessor; }},
    {cudaDevAttrComputeCapabilityMajor, [](const Properties &p) { return p.major; }},
    {cudaDevAttrComputeCapabilityMinor, [](const Properties &p) { return p.minor; }},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor,
     [](const Properties &p) { return static_cast<int>(p.sharedMemPerMultiprocessor); }},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin,
     [](const Properties &p) { return static_cast<int>(p.sharedMemPerBlockOptin); }},
    {cudaDevAttrMaxBlocksPerMultiprocessor,
     [](const Properties &p) { return p.maxBlocksPerMultiProcessor; }},
};

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
  *device = currentDevice;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int device) {
  if (!relayout::host::isDevice(device))
    return fail(cudaErrorInvalidDevice);
  currentDevice = device;
  return cudaSuccess;
}

cudaError_t cudaSetDeviceFlags(unsigned int) { return cudaSuccess; }

cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *) {
  *device = 0;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device) {
  if (properties == nullptr || !relayout::host::isDevice(device))
    return fail(properties != nullptr ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
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
  p.persistingL2CacheMaxSize = kPersistingL2Bytes;
  p.accessPolicyMaxWindowSize = kPolicyWindowBytes;
  p.maxTexture1D = p.maxTexture2D[0] = p.maxSurface2D[0] = kTextureWidth;
  p.maxTexture2D[1] = p.maxSurface2D[1] = kTextureHeight;
  std::fill_n(p.maxTexture3D, 3, kTextureDepth);
  std::fill_n(p.maxSurface3D, 3, kTextureDepth);
  p.maxSurface1D = p.maxTextureCubemap = p.maxSurfaceCubemap = kTextureDepth * 2;
  p.surfaceAlignment = p.textureAlignment;
  p.texturePitchAlignment = kWarpSize;
  p.hostRegisterSupported = p.memoryPoolsSupported = p.unifiedFunctionPointers = 1;
  *properties = p;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int device) {
  cudaDeviceProp properties;
  if (const cudaError_t status = cudaGetDeviceProperties(&properties, device);
      status != cudaSuccess)
    return status;
  for (const Attribute &known : kAttributes)
    if (known.attribute == attribute) {
      *value = known.of(properties);
      return cudaSuccess;
    }
  return fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceSynchronize(void) {
  if (const char *const kernel = runningKernel())
    relayout::host::fatal(relayout::Code::DeviceWait,
                          "kernel '%s' waits for kernels that it launched", kernel);
  SharedArrays::instance().noteStates();
  return cudaSuccess;
}
cudaError_t cudaDeviceReset(void) {
  lastError = cudaSuccess;
  return cudaSuccess;
}
cudaError_t cudaThreadSynchronize(void) { return cudaDeviceSynchronize(); }
cudaError_t cudaThreadExit(void) { return cudaDeviceReset(); }
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig) { return cudaSuccess; }
cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config) {
  *config = cudaSharedMemBankSizeFourByte; // the only one since compute capability 5.0
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(enum cudaLimit, size_t) { return cudaSuccess; }
cudaError_t cudaCtxResetPersistingL2Cache(void) { return cudaSuccess; }

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
  case cudaLimitMaxL2FetchGranularity:
    *value = 64;
    return cudaSuccess;
  case cudaLimitPersistingL2CacheSize:
    *value = 0;
    return cudaSuccess;
  default:
    break;
  }
  return fail(cudaErrorInvalidValue);
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  if (!relayout::host::isDevice(device) || !relayout::host::isDevice(peer))
    return fail(cudaErrorInvalidDevice);
  *can = device != peer ? 1 : 0; // it is the same memory
  return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int) {
  const bool isPeer = peer != currentDevice && relayout::host::isDevice(peer);
  return isPeer ? cudaSuccess : fail(cudaErrorInvalidDevice);
}
cudaError_t cudaDeviceDisablePeerAccess(int peer) { return cudaDeviceEnablePeerAccess(peer, 0); }
cudaError_t cudaDeviceGetP2PAttribute(int *, enum cudaDeviceP2PAttr, int, int) {
  return fail(cudaErrorInvalidDevice);
}

cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}

cudaError_t cudaDeviceGetPCIBusId(char *busId, int length, int device) {
  if (busId == nullptr || length <= 0 || !relayout::host::isDevice(device))
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
