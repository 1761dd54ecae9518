// SPDX-License-Identifier: Apache-2.0
// GPU tracing over CUPTI: activity records tell how long kernels ran; callbacks arm the modules
// before launches that the hooks do not see, and take out what a context holds before it ends. The
// library is opened at run time, so that a machine without it runs instrumented programs too.
#include "counters.h"
#include "cupti_library.h"
#include "session.h"

#include <cuda_runtime_api.h>
#include <cupti.h>

#include <cstdlib>
#include <dlfcn.h>
#include <string>

namespace relayout::gpu {
namespace {

struct Cupti {
  decltype(&cuptiSubscribe) subscribe;
  decltype(&cuptiEnableCallback) enableCallback;
  decltype(&cuptiGetResultString) resultString;
  decltype(&cuptiActivityRegisterCallbacks) registerCallbacks;
  decltype(&cuptiActivityEnable) enableActivity;
  decltype(&cuptiActivityFlushAll) flushAll;
  decltype(&cuptiActivityGetNextRecord) nextRecord;
  decltype(&cuptiActivityGetNumDroppedRecords) droppedRecords;
};

Cupti cupti;
Session *session = nullptr;
bool hasActivity = false;

/// Calls that our own work makes inside a callback come back as callbacks.
thread_local bool isInside = false;

constexpr std::size_t kBufferBytes = 1u << 20;

bool findCalls(void *library) {
  const auto find = [library](const char *name, auto &function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  return find("cuptiSubscribe", cupti.subscribe) &&
         find("cuptiEnableCallback", cupti.enableCallback) &&
         find("cuptiGetResultString", cupti.resultString) &&
         find("cuptiActivityRegisterCallbacks", cupti.registerCallbacks) &&
         find("cuptiActivityEnable", cupti.enableActivity) &&
         find("cuptiActivityFlushAll", cupti.flushAll) &&
         find("cuptiActivityGetNextRecord", cupti.nextRecord) &&
         find("cuptiActivityGetNumDroppedRecords", cupti.droppedRecords);
}

constexpr CUpti_CallbackId kLaunches[] = {
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_ptsz_v9000,
    CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
    CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000,
};

void CUPTIAPI called(void *, CUpti_CallbackDomain domain, CUpti_CallbackId call,
                     const void *words) {
  if (isInside)
    return;
  isInside = true;
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    if (call == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
      session->contextEnds(static_cast<const CUpti_ResourceData *>(words)->context);
  } else {
    const auto &state = *static_cast<const CUpti_CallbackData *>(words);
    const bool enters = state.callbackSite == CUPTI_API_ENTER;
    if (call == CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020) {
      if (enters)
        session->contextEnds(state.context);
    } else if (enters) {
      for (const CUpti_CallbackId launch : kLaunches)
        if (call == launch)
          session->arm(state.context);
    }
  }
  isInside = false;
}

void CUPTIAPI bufferWanted(std::uint8_t **buffer, std::size_t *size, std::size_t *records) {
  *buffer = static_cast<std::uint8_t *>(std::aligned_alloc(8, kBufferBytes));
  *size = *buffer == nullptr ? 0 : kBufferBytes;
  *records = 0; // as many as fit
}

void CUPTIAPI bufferFull(CUcontext context, std::uint32_t stream, std::uint8_t *buffer, std::size_t,
                         std::size_t validBytes) {
  CUpti_Activity *record = nullptr;
  while (cupti.nextRecord(buffer, validBytes, &record) == CUPTI_SUCCESS) {
    if (record->kind != CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)
      continue;
    const auto *kernel = reinterpret_cast<const CUpti_ActivityKernel10 *>(record);
    session->kernelTime(kernel->name != nullptr ? kernel->name : "", kernel->start, kernel->end);
  }
  std::size_t dropped = 0;
  if (cupti.droppedRecords(context, stream, &dropped) == CUPTI_SUCCESS && dropped != 0)
    session->kernelTimesLost(dropped);
  std::free(buffer);
}

} // namespace

bool startCounters(Session &mine, std::string &why) {
  void *const library = openCuptiLibrary(why);
  if (library == nullptr)
    return false;
  if (!findCalls(library)) {
    why = "CUPTI's library lacks calls";
    return false;
  }
  session = &mine;
  CUpti_SubscriberHandle subscriber = nullptr;
  CUptiResult status =
      cupti.subscribe(&subscriber, reinterpret_cast<CUpti_CallbackFunc>(&called), nullptr);
  for (const CUpti_CallbackId call : kLaunches)
    if (status == CUPTI_SUCCESS)
      status = cupti.enableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API, call);
  if (status == CUPTI_SUCCESS)
    status = cupti.enableCallback(1, subscriber, CUPTI_CB_DOMAIN_RUNTIME_API,
                                  CUPTI_RUNTIME_TRACE_CBID_cudaDeviceReset_v3020);
  if (status == CUPTI_SUCCESS)
    status = cupti.enableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                                  CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING);
  const auto explain = [](CUptiResult result) {
    const char *text = nullptr;
    cupti.resultString(result, &text);
    return describeCuptiError(result, text);
  };
  if (status != CUPTI_SUCCESS) {
    why = explain(status);
    return false;
  }
  status = cupti.registerCallbacks(&bufferWanted, &bufferFull);
  if (status == CUPTI_SUCCESS)
    status = cupti.enableActivity(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  hasActivity = status == CUPTI_SUCCESS;
  if (!hasActivity)
    mine.missing("kernel times", explain(status));
  return true;
}

void flushCounters() {
  if (hasActivity)
    cupti.flushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
}

} // namespace relayout::gpu
