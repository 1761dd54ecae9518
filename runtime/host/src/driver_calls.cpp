// SPDX-License-Identifier: Apache-2.0
// Executor: the CUDA driver's calls, as far as they say of the runtime's one device what the
// runtime does.
#include "cuda.h"

#include <cstring>

struct CUctx_st {};

namespace relayout::host {
namespace {

CUctx_st onlyContext;

/// The runtime's errors have the driver's numbers.
CUresult resultOf(cudaError_t error) { return static_cast<CUresult>(error); }

CUresult give(CUcontext *context) {
  if (context == nullptr)
    return CUDA_ERROR_INVALID_VALUE;
  *context = &onlyContext;
  return CUDA_SUCCESS;
}

CUresult accept(CUcontext context) {
  return context == nullptr || context == &onlyContext ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

const char *nameOf(CUresult error) {
  switch (error) {
#define RELAYOUT_DRIVER_ERROR(name, value)                                                         \
  case name:                                                                                       \
    return #name;
#include "relayout/host/driver_errors.inc"
#undef RELAYOUT_DRIVER_ERROR
  }
  return nullptr;
}

} // namespace
} // namespace relayout::host

using namespace relayout::host;

extern "C" {

CUresult cuInit(unsigned int flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }
CUresult cuDriverGetVersion(int *version) { return resultOf(cudaDriverGetVersion(version)); }

CUresult cuGetErrorName(CUresult error, const char **name) {
  *name = nameOf(error);
  return *name != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = nameOf(error) != nullptr ? cudaGetErrorString(static_cast<cudaError_t>(error)) : nullptr;
  return *text != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetCount(int *count) { return resultOf(cudaGetDeviceCount(count)); }

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  int count = 0;
  cudaGetDeviceCount(&count);
  if (ordinal < 0 || ordinal >= count)
    return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  cudaDeviceProp properties;
  if (const cudaError_t status = cudaGetDeviceProperties(&properties, device);
      status != cudaSuccess)
    return resultOf(status);
  if (name == nullptr || length <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  std::strncpy(name, properties.name, static_cast<std::size_t>(length) - 1);
  name[length - 1] = '\0';
  return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *busId, int length, CUdevice device) {
  return resultOf(cudaDeviceGetPCIBusId(busId, length, device));
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute, CUdevice device) {
  return resultOf(cudaDeviceGetAttribute(value, static_cast<cudaDeviceAttr>(attribute), device));
}

CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  const CUresult status =
      cuDeviceGetAttribute(major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
  return status == CUDA_SUCCESS
             ? cuDeviceGetAttribute(minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device)
             : status;
}

CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  cudaDeviceProp properties;
  const cudaError_t status = cudaGetDeviceProperties(&properties, device);
  if (status == cudaSuccess)
    *bytes = properties.totalGlobalMem;
  return resultOf(status);
}

CUresult cuMemGetInfo(size_t *freeBytes, size_t *totalBytes) {
  return resultOf(cudaMemGetInfo(freeBytes, totalBytes));
}

CUresult cuCtxCreate(CUcontext *context, unsigned int, CUdevice device) {
  const cudaError_t status = cudaSetDevice(device);
  return status == cudaSuccess ? give(context) : resultOf(status);
}
CUresult cuCtxDestroy(CUcontext context) { return accept(context); }
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return cuCtxCreate(context, 0, device);
}
CUresult cuDevicePrimaryCtxRelease(CUdevice) { return CUDA_SUCCESS; }
CUresult cuCtxGetCurrent(CUcontext *context) { return give(context); }
CUresult cuCtxSetCurrent(CUcontext context) { return accept(context); }
CUresult cuCtxPushCurrent(CUcontext context) { return accept(context); }
CUresult cuCtxPopCurrent(CUcontext *context) { return give(context); }
CUresult cuCtxGetDevice(CUdevice *device) { return resultOf(cudaGetDevice(device)); }
CUresult cuCtxSynchronize(void) { return resultOf(cudaDeviceSynchronize()); }
CUresult cuStreamSynchronize(CUstream stream) { return resultOf(cudaStreamSynchronize(stream)); }

} // extern "C"
