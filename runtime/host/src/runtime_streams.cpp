// SPDX-License-Identifier: Apache-2.0
// Executor: streams and events. All work is done when the call that asked for it returns, which is
// one of the orders CUDA allows; events carry the wall clock.
#include "executor.h"
#include "handles.h"
#include "stream_capture.h"

#include "cuda_runtime_api.h"

#include <chrono>

struct CUstream_st {
  unsigned int flags;
};

struct CUevent_st {
  std::chrono::steady_clock::time_point time = {};
  bool recorded = false;
  bool timed = true;
  cudaStream_t stream = nullptr; ///< where it was recorded
};

using relayout::host::fail;

extern "C" {

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned int flags) {
  if (stream == nullptr)
    return fail(cudaErrorInvalidValue);
  *stream = relayout::host::makeHandle(CUstream_st{flags});
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned int flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return relayout::host::destroyHandle(stream) ? cudaSuccess : fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamQuery(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int) {
  if (event != nullptr && relayout::host::detail::isCaptured(event->stream))
    relayout::host::captureLike(event->stream, stream);
  return cudaSuccess;
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback,
                                  void *userData, unsigned int) {
  callback(stream, cudaSuccess, userData);
  return cudaSuccess;
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *userData) {
  return relayout::host::onStream(stream, [=] {
    function(userData);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t, int *priority) {
  *priority = 0;
  return cudaSuccess;
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned int *flags) {
  const bool isOwn =
      stream != nullptr && stream != cudaStreamLegacy && stream != cudaStreamPerThread;
  *flags = isOwn ? stream->flags : cudaStreamDefault;
  return cudaSuccess;
}

cudaError_t cudaStreamSetAttribute(cudaStream_t, cudaStreamAttrID,
                                   const cudaStreamAttrValue *value) {
  return value != nullptr ? cudaSuccess : fail(cudaErrorInvalidValue);
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t, unsigned int) {
  return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  *least = *greatest = 0;
  return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned int flags) {
  if (event == nullptr)
    return fail(cudaErrorInvalidValue);
  *event = relayout::host::makeHandle(CUevent_st{.timed = (flags & cudaEventDisableTiming) == 0});
  return cudaSuccess;
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  if (event == nullptr)
    return fail(cudaErrorInvalidResourceHandle);
  event->stream = stream;
  event->time = std::chrono::steady_clock::now();
  event->recorded = true;
  return cudaSuccess;
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned int) {
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return event != nullptr ? cudaSuccess : fail(cudaErrorInvalidResourceHandle);
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (milliseconds == nullptr || start == nullptr || end == nullptr || !start->timed ||
      !end->timed || !start->recorded || !end->recorded)
    return fail(cudaErrorInvalidResourceHandle);
  *milliseconds = std::chrono::duration<float, std::milli>(end->time - start->time).count();
  return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return relayout::host::destroyHandle(event) ? cudaSuccess : fail(cudaErrorInvalidResourceHandle);
}

} // extern "C"

cudaError_t cudaEventCreate(cudaEvent_t *event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}

cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}
