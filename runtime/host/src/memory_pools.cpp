// SPDX-License-Identifier: Apache-2.0
// Executor: the CUDA runtime's calls for pools of memory. Each pool is the device's memory; what it
// was told is kept, and changes nothing.
#include "arena.h"
#include "devices.h"
#include "executor.h"
#include "handles.h"

#include "cuda_runtime_api.h"

#include <cstdint>

struct CUmemPoolHandle_st {
  int reuse[4] = {0, 1, 1, 1}; ///< by cudaMemPoolReuse…
  std::uint64_t releaseThreshold = 0;
};

using namespace relayout::host;

namespace {

cudaMemPool_t defaultPool() {
  static CUmemPoolHandle_st pool;
  return &pool;
}

cudaMemPool_t currentPool = nullptr; ///< null: the default one

} // namespace

extern "C" {

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  if (pool == nullptr || !relayout::host::isDevice(device))
    return fail(pool == nullptr ? cudaErrorInvalidValue : cudaErrorInvalidDevice);
  *pool = defaultPool();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  const cudaError_t status = cudaDeviceGetDefaultMemPool(pool, device);
  if (status == cudaSuccess && currentPool != nullptr)
    *pool = currentPool;
  return status;
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  if (pool == nullptr || !relayout::host::isDevice(device))
    return fail(pool != nullptr ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  currentPool = pool;
  return cudaSuccess;
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties) {
  if (pool == nullptr || properties == nullptr)
    return fail(cudaErrorInvalidValue);
  *pool = makeHandle(CUmemPoolHandle_st{});
  return cudaSuccess;
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  if (pool == nullptr || pool == defaultPool())
    return fail(cudaErrorInvalidValue);
  if (currentPool == pool)
    currentPool = nullptr;
  return destroyHandle(pool) ? cudaSuccess : fail(cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
  if (pool == nullptr || value == nullptr)
    return fail(cudaErrorInvalidValue);
  if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
    pool->reuse[attribute] = *static_cast<int *>(value);
  else if (attribute == cudaMemPoolAttrReleaseThreshold)
    pool->releaseThreshold = *static_cast<std::uint64_t *>(value);
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value) {
  if (pool == nullptr || value == nullptr)
    return fail(cudaErrorInvalidValue);
  if (attribute <= cudaMemPoolReuseAllowInternalDependencies)
    *static_cast<int *>(value) = pool->reuse[attribute];
  else if (attribute == cudaMemPoolAttrReleaseThreshold)
    *static_cast<std::uint64_t *>(value) = pool->releaseThreshold;
  else
    *static_cast<std::uint64_t *>(value) =
        Arena::instance().totalBytes() - Arena::instance().freeBytes();
  return cudaSuccess;
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  return pool == nullptr ? fail(cudaErrorInvalidValue) : cudaSuccess;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *, size_t) {
  return pool == nullptr ? fail(cudaErrorInvalidValue) : cudaSuccess;
}

} // extern "C"
