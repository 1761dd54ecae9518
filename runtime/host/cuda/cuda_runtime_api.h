// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the runtime calls it has. What is not declared here does not
// compile, so that nothing is missing in silence. Streams run at once, in program order.
#pragma once
#define __CUDA_RUNTIME_API_H__

#include "relayout/host/macros_aside.h"

#include "driver_types.h"

#ifdef __cplusplus
#define RELAYOUT_DEFAULT(value) = value
extern "C" {
#else
#define RELAYOUT_DEFAULT(value)
#endif

// Errors.
__host__ __device__ cudaError_t cudaGetLastError(void);
__host__ __device__ cudaError_t cudaPeekAtLastError(void);
__host__ __device__ const char *cudaGetErrorString(cudaError_t error);
__host__ __device__ const char *cudaGetErrorName(cudaError_t error);

// Devices.
__host__ __device__ cudaError_t cudaGetDeviceCount(int *count);
__host__ __device__ cudaError_t cudaGetDevice(int *device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaSetDeviceFlags(unsigned int flags);
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *wanted);
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int device);
__host__ __device__ cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute,
                                                       int device);
cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaThreadSynchronize(void); // until CUDA 12
cudaError_t cudaThreadExit(void);        // until CUDA 12
cudaError_t cudaDeviceSetCacheConfig(enum cudaFuncCache config);
cudaError_t cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
__host__ __device__ cudaError_t cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig *config);
cudaError_t cudaDeviceSetLimit(enum cudaLimit limit, size_t value);
__host__ __device__ cudaError_t cudaDeviceGetLimit(size_t *value, enum cudaLimit limit);
cudaError_t cudaCtxResetPersistingL2Cache(void);
cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer);
cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags);
cudaError_t cudaDeviceDisablePeerAccess(int peer);
cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int device,
                                      int peer);
__host__ __device__ cudaError_t cudaDeviceGetCacheConfig(enum cudaFuncCache *config);
cudaError_t cudaDeviceGetPCIBusId(char *busId, int length, int device);
cudaError_t cudaGetDeviceFlags(unsigned int *flags);
cudaError_t cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
cudaError_t cudaDriverGetVersion(int *version);
__host__ __device__ cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

// Memory. Device code copies and sets on streams alone, and when its grid has ended.
#define RELAYOUT_LIST(...) __VA_ARGS__
#define RELAYOUT_SIDES_Immediate
#define RELAYOUT_SIDES_OnStream __host__ __device__
#define RELAYOUT_FREES_Device_Immediate __host__ __device__
#define RELAYOUT_FREES_Device_OnStream
#define RELAYOUT_FREES_Host_Immediate
#define CUDA_ALLOCATION(name, order, form, memory, parameters, arguments, bytes, ...)              \
  cudaError_t name(void **pointer, RELAYOUT_LIST parameters);
#define CUDA_FREE(name, order, form, memory, parameters, arguments, ...)                           \
  RELAYOUT_FREES_##memory##_##order cudaError_t name parameters;
#define CUDA_COPY(name, order, form, parameters, arguments, rows, ...)                             \
  RELAYOUT_SIDES_##order cudaError_t name parameters;
#define CUDA_SET(name, order, form, parameters, arguments, rows, ...)                              \
  RELAYOUT_SIDES_##order cudaError_t name parameters;
#include "relayout/base/cuda_calls.def"
#undef RELAYOUT_SIDES_Immediate
#undef RELAYOUT_SIDES_OnStream
#undef RELAYOUT_FREES_Device_Immediate
#undef RELAYOUT_FREES_Device_OnStream
#undef RELAYOUT_FREES_Host_Immediate
cudaError_t cudaHostRegister(void *pointer, size_t bytes, unsigned int flags);
cudaError_t cudaHostUnregister(void *pointer);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned int flags);
cudaError_t cudaMemGetInfo(size_t *freeBytes, size_t *totalBytes);
cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *attributes, const void *pointer);
cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, int device,
                                 cudaStream_t stream RELAYOUT_DEFAULT(0));
cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                          int device);

cudaError_t cudaMemcpyPeer(void *to, int toDevice, const void *from, int fromDevice, size_t bytes);
cudaError_t cudaMemcpyPeerAsync(void *to, int toDevice, const void *from, int fromDevice,
                                size_t bytes, cudaStream_t stream RELAYOUT_DEFAULT(0));
cudaError_t cudaMalloc3D(struct cudaPitchedPtr *memory, struct cudaExtent extent);
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *copy);
__host__ __device__ cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *copy,
                                                  cudaStream_t stream RELAYOUT_DEFAULT(0));
cudaError_t cudaMemset3D(struct cudaPitchedPtr memory, int value, struct cudaExtent extent);
__host__ __device__ cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr memory, int value,
                                                  struct cudaExtent extent,
                                                  cudaStream_t stream RELAYOUT_DEFAULT(0));
cudaError_t cudaHostGetFlags(unsigned int *flags, void *host);

// Pools of memory.
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool);
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties);
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
                                    void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t bytesToKeep);
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *access,
                                 size_t count);
cudaError_t cudaMallocFromPoolAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream);

// Arrays, and textures by object.
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height RELAYOUT_DEFAULT(0),
                            unsigned int flags RELAYOUT_DEFAULT(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned int flags RELAYOUT_DEFAULT(0));
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array);
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind,
                                     cudaStream_t stream RELAYOUT_DEFAULT(0));
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind);
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *as,
                                    const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                    const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t object);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *as, cudaTextureObject_t object);

// Streams and events.
cudaError_t cudaStreamCreate(cudaStream_t *stream);
__host__ __device__ cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int priority);
__host__ __device__ cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
__host__ __device__ cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                                    unsigned int flags RELAYOUT_DEFAULT(0));
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int flags);
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *userData);
cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority);
cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags);
cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue *value);
cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status);
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *memory,
                                     size_t bytes RELAYOUT_DEFAULT(0),
                                     unsigned int flags RELAYOUT_DEFAULT(cudaMemAttachSingle));
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *executable, cudaGraph_t graph,
                                          unsigned long long flags RELAYOUT_DEFAULT(0));
cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable);
__host__ __device__ cudaError_t cudaEventRecordWithFlags(cudaEvent_t event,
                                                         cudaStream_t stream RELAYOUT_DEFAULT(0),
                                                         unsigned int flags RELAYOUT_DEFAULT(0));
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
__host__ __device__ cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags);
__host__ __device__ cudaError_t cudaEventRecord(cudaEvent_t event,
                                                cudaStream_t stream RELAYOUT_DEFAULT(0));
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end);
__host__ __device__ cudaError_t cudaEventDestroy(cudaEvent_t event);

// Graphics. What registers buffers of OpenGL and others is not there, so that no handle is valid.
#define RELAYOUT_NO_RESOURCE(name, ...)                                                            \
  static inline cudaError_t name(__VA_ARGS__) { return cudaErrorInvalidResourceHandle; }
RELAYOUT_NO_RESOURCE(cudaGraphicsUnregisterResource, cudaGraphicsResource_t resource)
RELAYOUT_NO_RESOURCE(cudaGraphicsResourceSetMapFlags, cudaGraphicsResource_t resource,
                     unsigned int flags)
RELAYOUT_NO_RESOURCE(cudaGraphicsMapResources, int count, cudaGraphicsResource_t *resources,
                     cudaStream_t stream RELAYOUT_DEFAULT(0))
RELAYOUT_NO_RESOURCE(cudaGraphicsUnmapResources, int count, cudaGraphicsResource_t *resources,
                     cudaStream_t stream RELAYOUT_DEFAULT(0))
RELAYOUT_NO_RESOURCE(cudaGraphicsResourceGetMappedPointer, void **pointer, size_t *bytes,
                     cudaGraphicsResource_t resource)
RELAYOUT_NO_RESOURCE(cudaGraphicsSubResourceGetMappedArray, cudaArray_t *array,
                     cudaGraphicsResource_t resource, unsigned int index, unsigned int level)
#undef RELAYOUT_NO_RESOURCE

#ifdef __cplusplus
} // extern "C"

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                        unsigned long long flags = 0) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *executable, cudaGraph_t graph,
                                        cudaGraphNode_t *, char *, size_t) {
  return cudaGraphInstantiateWithFlags(executable, graph, 0);
}

// Overloaded in CUDA's C++ interface, so not extern "C".
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags);

// Where managed memory lies is no question here; CUDA 13's form of the calls.
inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t bytes, struct cudaMemLocation,
                                        unsigned int, cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(pointer, bytes, 0, stream);
}
inline cudaError_t cudaMemAdvise(const void *pointer, size_t bytes, enum cudaMemoryAdvise advice,
                                 struct cudaMemLocation) {
  return cudaMemAdvise(pointer, bytes, advice, 0);
}

template <class T>
cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t bytes, cudaMemPool_t pool,
                                    cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream);
}
inline cudaError_t cudaMallocAsync(void **pointer, size_t bytes, cudaMemPool_t pool,
                                   cudaStream_t stream) {
  return cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}
template <class T>
cudaError_t cudaMallocAsync(T **pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync((void **)pointer, bytes, pool, stream);
}

inline struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                          enum cudaChannelFormatKind kind) {
  return cudaChannelFormatDesc{x, y, z, w, kind};
}
template <class T> struct cudaChannelFormatDesc cudaCreateChannelDesc();
#define RELAYOUT_CHANNELS(type, bits, y, z, w, kind)                                               \
  template <> inline struct cudaChannelFormatDesc cudaCreateChannelDesc<type>() {                  \
    return {bits, y, z, w, cudaChannelFormatKind##kind};                                           \
  }
#define RELAYOUT_CHANNELS_OF(scalar, name, bits, kind)                                             \
  RELAYOUT_CHANNELS(scalar, bits, 0, 0, 0, kind)                                                   \
  RELAYOUT_CHANNELS(name##1, bits, 0, 0, 0, kind)                                                  \
  RELAYOUT_CHANNELS(name##2, bits, bits, 0, 0, kind)                                               \
  RELAYOUT_CHANNELS(name##4, bits, bits, bits, bits, kind)
RELAYOUT_CHANNELS(char, 8, 0, 0, 0, Signed)
RELAYOUT_CHANNELS_OF(signed char, char, 8, Signed)
RELAYOUT_CHANNELS_OF(unsigned char, uchar, 8, Unsigned)
RELAYOUT_CHANNELS_OF(short, short, 16, Signed)
RELAYOUT_CHANNELS_OF(unsigned short, ushort, 16, Unsigned)
RELAYOUT_CHANNELS_OF(int, int, 32, Signed)
RELAYOUT_CHANNELS_OF(unsigned int, uint, 32, Unsigned)
RELAYOUT_CHANNELS_OF(float, float, 32, Float)
#undef RELAYOUT_CHANNELS_OF
#undef RELAYOUT_CHANNELS

inline struct cudaPitchedPtr make_cudaPitchedPtr(void *pointer, size_t pitch, size_t xsize,
                                                 size_t ysize) {
  return cudaPitchedPtr{pointer, pitch, xsize, ysize};
}
inline struct cudaExtent make_cudaExtent(size_t width, size_t height, size_t depth) {
  return cudaExtent{width, height, depth};
}
inline struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) { return cudaPos{x, y, z}; }

namespace relayout::host::detail {
cudaError_t copyToSymbol(void *symbol, size_t symbolBytes, const void *from, size_t bytes,
                         size_t offset, cudaMemcpyKind kind);
cudaError_t copyFromSymbol(void *to, const void *symbol, size_t symbolBytes, size_t bytes,
                           size_t offset, cudaMemcpyKind kind);
cudaError_t symbolAddress(void **pointer, const void *symbol, size_t symbolBytes);
cudaError_t setFunctionAttribute(const void *function, cudaFuncAttribute attribute, int value);
cudaError_t functionAttributes(cudaFuncAttributes *attributes, const void *function);
cudaError_t activeBlocks(int *blocks, int threads, size_t sharedBytes);
} // namespace relayout::host::detail

#define CUDA_ALLOCATION(name, order, form, memory, parameters, arguments, bytes, ...)              \
  template <class T> cudaError_t name(T **pointer, RELAYOUT_LIST parameters) {                     \
    void *untyped = nullptr;                                                                       \
    const cudaError_t status = name(&untyped, RELAYOUT_LIST arguments);                            \
    if (status == cudaSuccess)                                                                     \
      *pointer = static_cast<T *>(untyped);                                                        \
    return status;                                                                                 \
  }
#include "relayout/base/cuda_calls.def"
#undef RELAYOUT_LIST
#undef RELAYOUT_DEFAULT
template <class T> cudaError_t cudaMallocHost(T **pointer, size_t bytes, unsigned int flags) {
  return cudaMallocHost(pointer, bytes);
}
template <class T>
cudaError_t cudaHostGetDevicePointer(T **pointer, void *host, unsigned int flags) {
  void *untyped = nullptr;
  const cudaError_t status = cudaHostGetDevicePointer(&untyped, host, flags);
  if (status == cudaSuccess)
    *pointer = static_cast<T *>(untyped);
  return status;
}

template <class T>
cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t bytes, size_t offset = 0,
                               cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return relayout::host::detail::copyToSymbol(
      const_cast<void *>(static_cast<const volatile void *>(__builtin_addressof(symbol))),
      sizeof(T), from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream = 0) {
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t bytes, size_t offset = 0,
                                 cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return relayout::host::detail::copyFromSymbol(
      to, const_cast<void *>(static_cast<const volatile void *>(__builtin_addressof(symbol))),
      sizeof(T), bytes, offset, kind);
}
template <class T>
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream = 0) {
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
template <class P, class T> cudaError_t cudaGetSymbolAddress(P **pointer, const T &symbol) {
  void *address = nullptr;
  const cudaError_t status = relayout::host::detail::symbolAddress(
      &address, const_cast<void *>(static_cast<const volatile void *>(__builtin_addressof(symbol))),
      sizeof(T));
  if (status == cudaSuccess)
    *pointer = static_cast<P *>(address);
  return status;
}
template <class T> cudaError_t cudaGetSymbolSize(size_t *bytes, const T &symbol) {
  *bytes = sizeof(T);
  return cudaSuccess;
}

#ifdef __CUDA__
// Parsed only: the lowered call names the kernel's type.
cudaError_t cudaLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments,
                             size_t sharedBytes = 0, cudaStream_t stream = 0);
cudaError_t cudaLaunchCooperativeKernel(const void *function, dim3 grid, dim3 block,
                                        void **arguments, size_t sharedBytes = 0,
                                        cudaStream_t stream = 0);
template <class T>
cudaError_t cudaLaunchKernel(T *function, dim3 grid, dim3 block, void **arguments,
                             size_t sharedBytes = 0, cudaStream_t stream = 0);
template <class T>
cudaError_t cudaLaunchCooperativeKernel(T *function, dim3 grid, dim3 block, void **arguments,
                                        size_t sharedBytes = 0, cudaStream_t stream = 0);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, const void *function,
                                void **arguments);
template <class T>
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *configuration, T *function,
                                void **arguments);
template <class... P, class... A>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *configuration, void (*kernel)(P...),
                               A &&...arguments);
#endif

// Kernels are distinguished by address; registers and caches do not exist here.
template <class T>
cudaError_t cudaFuncSetAttribute(T *function, cudaFuncAttribute attribute, int value) {
  return relayout::host::detail::setFunctionAttribute((const void *)function, attribute, value);
}
template <class T> cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, T *function) {
  return relayout::host::detail::functionAttributes(attributes, (const void *)function);
}
template <class T> cudaError_t cudaFuncSetCacheConfig(T *function, cudaFuncCache config) {
  return cudaSuccess;
}
template <class T> cudaError_t cudaFuncSetSharedMemConfig(T *function, cudaSharedMemConfig config) {
  return cudaSuccess;
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T *function, int threads,
                                                          size_t sharedBytes) {
  return relayout::host::detail::activeBlocks(blocks, threads, sharedBytes);
}
template <class T>
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T *function,
                                                                   int threads, size_t sharedBytes,
                                                                   unsigned int flags) {
  return relayout::host::detail::activeBlocks(blocks, threads, sharedBytes);
}
template <class T>
cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid, int *block, T *function,
                                               size_t sharedBytes = 0, int blockLimit = 0) {
  if (grid == nullptr || block == nullptr)
    return cudaErrorInvalidValue;
  int blocks = 0;
  *block = blockLimit > 0 && blockLimit < 1024 ? blockLimit : 1024;
  const cudaError_t status = relayout::host::detail::activeBlocks(&blocks, *block, sharedBytes);
  int processors = 0;
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  *grid = blocks * processors;
  return status;
}
/// The largest block of whole warps whose shared memory leaves room for one at all.
template <class T, class SharedBytes>
cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid, int *block, T *function,
                                                           SharedBytes sharedBytesOf,
                                                           int blockLimit = 0) {
  const int most = blockLimit > 0 && blockLimit < 1024 ? blockLimit : 1024;
  for (int threads = most; threads >= 32; threads -= 32) {
    int blocks = 0;
    const cudaError_t status =
        relayout::host::detail::activeBlocks(&blocks, threads, sharedBytesOf(threads));
    if (status != cudaSuccess)
      return status;
    if (blocks > 0)
      return cudaOccupancyMaxPotentialBlockSize(grid, block, function, sharedBytesOf(threads),
                                                threads);
  }
  return cudaErrorInvalidConfiguration;
}

#else // C has neither overloads nor templates

static inline cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, 0);
}
#undef RELAYOUT_LIST
#undef RELAYOUT_DEFAULT

#endif // __cplusplus

#include "relayout/host/macros_back.h"
