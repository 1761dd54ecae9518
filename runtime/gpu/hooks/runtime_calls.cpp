// SPDX-License-Identifier: Apache-2.0
// GPU tracing: calls of the CUDA runtime.
#include "hooks.h"

using relayout::hooks::Extent;
using relayout::hooks::Status;
using relayout::hooks::Stream;

#define RELAYOUT_LAUNCH(call)                                                                      \
  Status __real_##call(const void *kernel, Extent grid, Extent block, void **arguments,            \
                       std::size_t sharedBytes, Stream stream);                                    \
  Status __wrap_##call(const void *kernel, Extent grid, Extent block, void **arguments,            \
                       std::size_t sharedBytes, Stream stream) {                                   \
    relayoutGpuArm();                                                                              \
    return __real_##call(kernel, grid, block, arguments, sharedBytes, stream);                     \
  }

#define RELAYOUT_LAUNCH_EX(call)                                                                   \
  Status __real_##call(const void *configuration, const void *kernel, void **arguments);           \
  Status __wrap_##call(const void *configuration, const void *kernel, void **arguments) {          \
    relayoutGpuArm();                                                                              \
    return __real_##call(configuration, kernel, arguments);                                        \
  }

#define RELAYOUT_GRAPH_LAUNCH(call)                                                                \
  Status __real_##call(void *graph, Stream stream);                                                \
  Status __wrap_##call(void *graph, Stream stream) {                                               \
    relayoutGpuArm();                                                                              \
    return __real_##call(graph, stream);                                                           \
  }

#define RELAYOUT_ALLOCATION_ON_STREAM(call)                                                        \
  Status __real_##call(void **pointer, std::size_t bytes, Stream stream);                          \
  Status __wrap_##call(void **pointer, std::size_t bytes, Stream stream) {                         \
    const Status status = __real_##call(pointer, bytes, stream);                                   \
    if (status == 0)                                                                               \
      relayoutGpuAllocated(*pointer, bytes);                                                       \
    return status;                                                                                 \
  }

#define RELAYOUT_FREE_ON_STREAM(call)                                                              \
  Status __real_##call(void *pointer, Stream stream);                                              \
  Status __wrap_##call(void *pointer, Stream stream) {                                             \
    relayoutGpuFreed(pointer);                                                                     \
    return __real_##call(pointer, stream);                                                         \
  }

#define RELAYOUT_COPY(call)                                                                        \
  Status __real_##call(void *to, const void *from, std::size_t bytes, int kind);                   \
  Status __wrap_##call(void *to, const void *from, std::size_t bytes, int kind) {                  \
    relayoutGpuCopied(to, from, bytes);                                                            \
    return __real_##call(to, from, bytes, kind);                                                   \
  }

#define RELAYOUT_COPY_ON_STREAM(call)                                                              \
  Status __real_##call(void *to, const void *from, std::size_t bytes, int kind, Stream stream);    \
  Status __wrap_##call(void *to, const void *from, std::size_t bytes, int kind, Stream stream) {   \
    relayoutGpuCopied(to, from, bytes);                                                            \
    return __real_##call(to, from, bytes, kind, stream);                                           \
  }

extern "C" {

RELAYOUT_LAUNCH(cudaLaunchKernel)
RELAYOUT_LAUNCH(cudaLaunchKernel_ptsz)
RELAYOUT_LAUNCH(cudaLaunchCooperativeKernel)
RELAYOUT_LAUNCH(cudaLaunchCooperativeKernel_ptsz)
RELAYOUT_LAUNCH_EX(cudaLaunchKernelExC)
RELAYOUT_LAUNCH_EX(cudaLaunchKernelExC_ptsz)
RELAYOUT_GRAPH_LAUNCH(cudaGraphLaunch)
RELAYOUT_GRAPH_LAUNCH(cudaGraphLaunch_ptsz)
RELAYOUT_ALLOCATION_ON_STREAM(cudaMallocAsync)
RELAYOUT_ALLOCATION_ON_STREAM(cudaMallocAsync_ptsz)
RELAYOUT_FREE_ON_STREAM(cudaFreeAsync)
RELAYOUT_FREE_ON_STREAM(cudaFreeAsync_ptsz)
RELAYOUT_COPY(cudaMemcpy)
RELAYOUT_COPY(cudaMemcpy_ptds)
RELAYOUT_COPY_ON_STREAM(cudaMemcpyAsync)
RELAYOUT_COPY_ON_STREAM(cudaMemcpyAsync_ptsz)

Status __real_cudaMalloc(void **pointer, std::size_t bytes);
Status __wrap_cudaMalloc(void **pointer, std::size_t bytes) {
  const Status status = __real_cudaMalloc(pointer, bytes);
  if (status == 0)
    relayoutGpuAllocated(*pointer, bytes);
  return status;
}

Status __real_cudaMallocManaged(void **pointer, std::size_t bytes, unsigned flags);
Status __wrap_cudaMallocManaged(void **pointer, std::size_t bytes, unsigned flags) {
  const Status status = __real_cudaMallocManaged(pointer, bytes, flags);
  if (status == 0)
    relayoutGpuAllocated(*pointer, bytes);
  return status;
}

Status __real_cudaMallocPitch(void **pointer, std::size_t *pitch, std::size_t width,
                              std::size_t height);
Status __wrap_cudaMallocPitch(void **pointer, std::size_t *pitch, std::size_t width,
                              std::size_t height) {
  const Status status = __real_cudaMallocPitch(pointer, pitch, width, height);
  if (status == 0)
    relayoutGpuAllocated(*pointer, *pitch * height);
  return status;
}

Status __real_cudaFree(void *pointer);
Status __wrap_cudaFree(void *pointer) {
  relayoutGpuFreed(pointer);
  return __real_cudaFree(pointer);
}

Status __real_cudaDeviceReset();
Status __wrap_cudaDeviceReset() {
  relayoutGpuContextEnds();
  return __real_cudaDeviceReset();
}

} // extern "C"
