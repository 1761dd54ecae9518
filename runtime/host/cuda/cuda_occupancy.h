// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: how many blocks a multiprocessor holds, from the properties
// that the caller gives. Compute capability 7.0 and later; how memory is divided between shared
// memory and the cache limits nothing here. Source: CUDA C++ Programming Guide, "Compute
// Capabilities" (technical specifications).
#pragma once

#include "relayout/host/macros_aside.h"

#include "host_defines.h"

#include <limits.h>
#include <stddef.h>

#define __CUDA_OCC_MAJOR__ 12
#define __CUDA_OCC_MINOR__ 1

#define RELAYOUT_HD static inline __host__ __device__

typedef enum cudaOccError_enum {
  CUDA_OCC_SUCCESS = 0,
  CUDA_OCC_ERROR_INVALID_INPUT = 1,
  CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2
} cudaOccError;

typedef enum cudaOccPartitionedGCConfig_enum {
  PARTITIONED_GC_OFF,
  PARTITIONED_GC_ON,
  PARTITIONED_GC_ON_STRICT
} cudaOccPartitionedGCConfig;
typedef enum cudaOccFuncShmemConfig_enum {
  FUNC_SHMEM_LIMIT_DEFAULT,
  FUNC_SHMEM_LIMIT_OPTIN
} cudaOccFuncShmemConfig;
typedef enum cudaOccCacheConfig_enum {
  CACHE_PREFER_NONE = 0,
  CACHE_PREFER_SHARED = 1,
  CACHE_PREFER_L1 = 2,
  CACHE_PREFER_EQUAL = 3
} cudaOccCacheConfig;
typedef enum cudaOccCarveoutConfig_enum {
  SHAREDMEM_CARVEOUT_DEFAULT = -1,
  SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
  SHAREDMEM_CARVEOUT_MAX_L1 = 0,
  SHAREDMEM_CARVEOUT_HALF = 50
} cudaOccCarveoutConfig;
typedef enum cudaOccLimitingFactor_enum {
  OCC_LIMIT_WARPS = 1,
  OCC_LIMIT_REGISTERS = 2,
  OCC_LIMIT_SHARED_MEMORY = 4,
  OCC_LIMIT_BLOCKS = 8,
  OCC_LIMIT_BARRIERS = 16,
  OCC_LIMIT_VIRTUAL_RESOURCES = 32
} cudaOccLimitingFactor;

typedef struct cudaOccDeviceProp {
  int computeMajor;
  int computeMinor;
  int maxThreadsPerBlock;
  int maxThreadsPerMultiprocessor;
  int regsPerBlock;
  int regsPerMultiprocessor;
  int warpSize;
  size_t sharedMemPerBlock;
  size_t sharedMemPerMultiprocessor;
  int numSms;
  size_t sharedMemPerBlockOptin;
  size_t reservedSharedMemPerBlock;
#ifdef __cplusplus
  __host__ __device__ cudaOccDeviceProp()
      : computeMajor(0), computeMinor(0), maxThreadsPerBlock(0), maxThreadsPerMultiprocessor(0),
        regsPerBlock(0), regsPerMultiprocessor(0), warpSize(0), sharedMemPerBlock(0),
        sharedMemPerMultiprocessor(0), numSms(0), sharedMemPerBlockOptin(0),
        reservedSharedMemPerBlock(0) {}
  /// \tparam T  cudaDeviceProp, or what has its members
  template <class T>
  __host__ __device__ cudaOccDeviceProp(const T &of)
      : computeMajor(of.major), computeMinor(of.minor), maxThreadsPerBlock(of.maxThreadsPerBlock),
        maxThreadsPerMultiprocessor(of.maxThreadsPerMultiProcessor), regsPerBlock(of.regsPerBlock),
        regsPerMultiprocessor(of.regsPerMultiprocessor), warpSize(of.warpSize),
        sharedMemPerBlock(of.sharedMemPerBlock),
        sharedMemPerMultiprocessor(of.sharedMemPerMultiprocessor), numSms(of.multiProcessorCount),
        sharedMemPerBlockOptin(of.sharedMemPerBlockOptin),
        reservedSharedMemPerBlock(of.reservedSharedMemPerBlock) {}
#endif
} cudaOccDeviceProp;

typedef struct cudaOccFuncAttributes {
  int maxThreadsPerBlock;
  int numRegs;
  size_t sharedSizeBytes; ///< static
  cudaOccPartitionedGCConfig partitionedGCConfig;
  cudaOccFuncShmemConfig shmemLimitConfig;
  size_t maxDynamicSharedSizeBytes;
  int numBlockBarriers;
  int virtualResourceCount;
#ifdef __cplusplus
  __host__ __device__ cudaOccFuncAttributes()
      : maxThreadsPerBlock(0), numRegs(0), sharedSizeBytes(0),
        partitionedGCConfig(PARTITIONED_GC_OFF), shmemLimitConfig(FUNC_SHMEM_LIMIT_DEFAULT),
        maxDynamicSharedSizeBytes(0), numBlockBarriers(0), virtualResourceCount(0) {}
  /// \tparam T  cudaFuncAttributes, or what has its members
  template <class T>
  __host__ __device__ cudaOccFuncAttributes(const T &of)
      : maxThreadsPerBlock(of.maxThreadsPerBlock), numRegs(of.numRegs),
        sharedSizeBytes(of.sharedSizeBytes), partitionedGCConfig(PARTITIONED_GC_OFF),
        shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
        maxDynamicSharedSizeBytes(static_cast<size_t>(of.maxDynamicSharedSizeBytes)),
        numBlockBarriers(1), virtualResourceCount(0) {}
#endif
} cudaOccFuncAttributes;

typedef struct cudaOccDeviceState {
  cudaOccCacheConfig cacheConfig;
  int carveoutConfig; ///< percent of shared memory
#ifdef __cplusplus
  __host__ __device__ cudaOccDeviceState()
      : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
} cudaOccDeviceState;

/// INT_MAX blocks where something is not used at all.
typedef struct cudaOccResult {
  int activeBlocksPerMultiprocessor;
  unsigned int limitingFactors; ///< bits of cudaOccLimitingFactor
  int blockLimitRegs;
  int blockLimitSharedMem;
  int blockLimitWarps;
  int blockLimitBlocks;
  int blockLimitBarriers;
  int blockLimitVirtual;
  int allocatedRegistersPerBlock;
  size_t allocatedSharedMemPerBlock;
  cudaOccPartitionedGCConfig partitionedGCConfig;
} cudaOccResult;

RELAYOUT_HD int __occMin(int a, int b) { return b < a ? b : a; }
RELAYOUT_HD int __occDivideRoundUp(int x, int y) { return (x + y - 1) / y; }
RELAYOUT_HD int __occRoundUp(int x, int y) { return __occDivideRoundUp(x, y) * y; }

#define RELAYOUT_OCCUPANCY_UNIT(name, value)                                                       \
  RELAYOUT_HD cudaOccError name(int *limit, const cudaOccDeviceProp *properties) {                 \
    if (properties->computeMajor < 7)                                                              \
      return CUDA_OCC_ERROR_UNKNOWN_DEVICE;                                                        \
    *limit = value;                                                                                \
    return CUDA_OCC_SUCCESS;                                                                       \
  }
RELAYOUT_OCCUPANCY_UNIT(cudaOccSMemAllocationGranularity, properties->computeMajor == 7 ? 256 : 128)
RELAYOUT_OCCUPANCY_UNIT(cudaOccRegAllocationGranularity, 256)
RELAYOUT_OCCUPANCY_UNIT(cudaOccRegAllocationMaxPerThread, 255)
RELAYOUT_OCCUPANCY_UNIT(cudaOccSubPartitionsPerMultiprocessor, 4)
/// Two for each warp of 64, one for each of fewer; 24 of 48 warps.
RELAYOUT_OCCUPANCY_UNIT(cudaOccMaxBlocksPerMultiprocessor,
                        properties->maxThreadsPerMultiprocessor >= 2048 ? 32
                        : properties->computeMajor == 8 && properties->computeMinor < 9 ||
                                properties->computeMajor == 7
                            ? 16
                            : 24)
#undef RELAYOUT_OCCUPANCY_UNIT

RELAYOUT_HD cudaOccError cudaOccSMemPerMultiprocessor(size_t *limit,
                                                      const cudaOccDeviceProp *properties,
                                                      const cudaOccDeviceState *state) {
  (void)state;
  *limit = properties->sharedMemPerMultiprocessor;
  return CUDA_OCC_SUCCESS;
}

RELAYOUT_HD cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(
    cudaOccResult *result, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state, int blockSize,
    size_t dynamicSmemSize) {
  int registerUnit, mostRegisters, parts, sharedUnit, blocks, warps, warpRegisters, active;
  size_t shared, sharedLimit;
  if (!result || !properties || !attributes || !state || blockSize <= 0 ||
      properties->warpSize <= 0 || properties->maxThreadsPerBlock <= 0 ||
      properties->maxThreadsPerMultiprocessor <= 0 || properties->regsPerMultiprocessor <= 0 ||
      attributes->maxThreadsPerBlock <= 0 || attributes->numRegs < 0)
    return CUDA_OCC_ERROR_INVALID_INPUT;
  if (cudaOccRegAllocationGranularity(&registerUnit, properties) != CUDA_OCC_SUCCESS ||
      cudaOccRegAllocationMaxPerThread(&mostRegisters, properties) != CUDA_OCC_SUCCESS ||
      cudaOccSubPartitionsPerMultiprocessor(&parts, properties) != CUDA_OCC_SUCCESS ||
      cudaOccSMemAllocationGranularity(&sharedUnit, properties) != CUDA_OCC_SUCCESS ||
      cudaOccMaxBlocksPerMultiprocessor(&blocks, properties) != CUDA_OCC_SUCCESS)
    return CUDA_OCC_ERROR_UNKNOWN_DEVICE;

  warps = __occDivideRoundUp(blockSize, properties->warpSize);
  result->blockLimitBlocks = blocks;
  result->blockLimitWarps =
      blockSize > __occMin(properties->maxThreadsPerBlock, attributes->maxThreadsPerBlock)
          ? 0
          : properties->maxThreadsPerMultiprocessor / properties->warpSize / warps;

  // Each part of the multiprocessor gives whole warps their registers.
  warpRegisters = __occRoundUp(attributes->numRegs * properties->warpSize, registerUnit);
  result->allocatedRegistersPerBlock = warpRegisters * warps;
  if (attributes->numRegs > mostRegisters ||
      warpRegisters * __occRoundUp(warps, parts) > properties->regsPerBlock)
    result->blockLimitRegs = 0;
  else if (warpRegisters == 0)
    result->blockLimitRegs = INT_MAX;
  else
    result->blockLimitRegs =
        properties->regsPerMultiprocessor / parts / warpRegisters * parts / warps;

  shared = attributes->sharedSizeBytes + properties->reservedSharedMemPerBlock + dynamicSmemSize;
  shared = (shared + (size_t)sharedUnit - 1) / (size_t)sharedUnit * (size_t)sharedUnit;
  result->allocatedSharedMemPerBlock = shared;
  sharedLimit = properties->sharedMemPerBlock;
  if (attributes->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN &&
      attributes->sharedSizeBytes + attributes->maxDynamicSharedSizeBytes > sharedLimit)
    sharedLimit = properties->sharedMemPerBlockOptin;
  if (shared > sharedLimit + properties->reservedSharedMemPerBlock ||
      (attributes->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN &&
       dynamicSmemSize > attributes->maxDynamicSharedSizeBytes))
    result->blockLimitSharedMem = 0;
  else if (shared == 0)
    result->blockLimitSharedMem = INT_MAX;
  else
    result->blockLimitSharedMem = (int)(properties->sharedMemPerMultiprocessor / shared);

  // Barriers limit no kernel that has one, as all have here.
  result->blockLimitBarriers = result->blockLimitVirtual = INT_MAX;
  result->partitionedGCConfig = PARTITIONED_GC_OFF;

  active = __occMin(__occMin(result->blockLimitBlocks, result->blockLimitWarps),
                    __occMin(result->blockLimitRegs, result->blockLimitSharedMem));
  result->activeBlocksPerMultiprocessor = active;
  result->limitingFactors =
      (active == result->blockLimitWarps ? (unsigned)OCC_LIMIT_WARPS : 0u) |
      (active == result->blockLimitRegs ? (unsigned)OCC_LIMIT_REGISTERS : 0u) |
      (active == result->blockLimitSharedMem ? (unsigned)OCC_LIMIT_SHARED_MEMORY : 0u) |
      (active == result->blockLimitBlocks ? (unsigned)OCC_LIMIT_BLOCKS : 0u);
  return CUDA_OCC_SUCCESS;
}

/// The dynamic shared memory with which so many blocks fit, of what the kernel may have.
RELAYOUT_HD cudaOccError
cudaOccAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const cudaOccDeviceProp *properties,
                                    const cudaOccFuncAttributes *attributes,
                                    const cudaOccDeviceState *state, int numBlocks, int blockSize) {
  int unit;
  size_t share, fixed;
  cudaOccResult result;
  cudaOccError status;
  if (!dynamicSmemSize || numBlocks <= 0)
    return CUDA_OCC_ERROR_INVALID_INPUT;
  status =
      cudaOccMaxActiveBlocksPerMultiprocessor(&result, properties, attributes, state, blockSize, 0);
  if (status != CUDA_OCC_SUCCESS)
    return status;
  if (result.activeBlocksPerMultiprocessor < numBlocks)
    return CUDA_OCC_ERROR_INVALID_INPUT;
  cudaOccSMemAllocationGranularity(&unit, properties);
  share = properties->sharedMemPerMultiprocessor / (size_t)numBlocks;
  share -= share % (size_t)unit;
  fixed = attributes->sharedSizeBytes + properties->reservedSharedMemPerBlock;
  *dynamicSmemSize = share > fixed ? share - fixed : 0;
  if (*dynamicSmemSize > attributes->maxDynamicSharedSizeBytes)
    *dynamicSmemSize = attributes->maxDynamicSharedSizeBytes;
  return CUDA_OCC_SUCCESS;
}

/// One size of block tried: kept where more threads are active than with a larger one.
RELAYOUT_HD cudaOccError __occTryBlockSize(int *minGridSize, int *blockSize, int *mostThreads,
                                           const cudaOccDeviceProp *properties,
                                           const cudaOccFuncAttributes *attributes,
                                           const cudaOccDeviceState *state, int threads,
                                           size_t dynamicSMemSize) {
  cudaOccResult result;
  const cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(
      &result, properties, attributes, state, threads, dynamicSMemSize);
  if (status == CUDA_OCC_SUCCESS && result.activeBlocksPerMultiprocessor * threads > *mostThreads) {
    *mostThreads = result.activeBlocksPerMultiprocessor * threads;
    *blockSize = threads;
    *minGridSize = result.activeBlocksPerMultiprocessor * properties->numSms;
  }
  return status;
}
/// The size of block with which most threads are active, in whole warps; of equal ones the largest.
#define RELAYOUT_BEST_BLOCK(dynamicBytes)                                                          \
  if (!minGridSize || !blockSize || !properties || !attributes || !state ||                        \
      properties->warpSize <= 0)                                                                   \
    return CUDA_OCC_ERROR_INVALID_INPUT;                                                           \
  *minGridSize = *blockSize = 0;                                                                   \
  int mostThreads = 0;                                                                             \
  const int limit = __occMin(properties->maxThreadsPerBlock, attributes->maxThreadsPerBlock);      \
  for (int next = __occRoundUp(limit, properties->warpSize); next > 0;                             \
       next -= properties->warpSize) {                                                             \
    const int threads = __occMin(limit, next);                                                     \
    const cudaOccError status =                                                                    \
        __occTryBlockSize(minGridSize, blockSize, &mostThreads, properties, attributes, state,     \
                          threads, dynamicBytes);                                                  \
    if (status != CUDA_OCC_SUCCESS)                                                                \
      return status;                                                                               \
  }                                                                                                \
  return CUDA_OCC_SUCCESS;

RELAYOUT_HD cudaOccError cudaOccMaxPotentialOccupancyBlockSize(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    size_t (*blockSizeToDynamicSMemSize)(int), size_t dynamicSMemSize){
    RELAYOUT_BEST_BLOCK(blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(threads)
                                                   : dynamicSMemSize)}
#ifdef __cplusplus
RELAYOUT_HD cudaOccError
    cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize,
                                          const cudaOccDeviceProp *properties,
                                          const cudaOccFuncAttributes *attributes,
                                          const cudaOccDeviceState *state,
                                          size_t dynamicSMemSize = 0) {
  RELAYOUT_BEST_BLOCK(dynamicSMemSize)
}
template <class F>
RELAYOUT_HD cudaOccError cudaOccMaxPotentialOccupancyBlockSizeVariableSMem(
    int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state,
    F blockSizeToDynamicSMemSize) {
  RELAYOUT_BEST_BLOCK(static_cast<size_t>(blockSizeToDynamicSMemSize(threads)))
}
#endif
#undef RELAYOUT_BEST_BLOCK
#undef RELAYOUT_HD

#include "relayout/host/macros_back.h"
