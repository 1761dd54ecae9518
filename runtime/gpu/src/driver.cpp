// SPDX-License-Identifier: Apache-2.0
// GPU tracing: finds the driver's calls in the library that the program has loaded.
#include "driver.h"

#include <atomic>
#include <dlfcn.h>

namespace relayout::gpu {
namespace {

template <class Function> bool find(void *library, const char *name, Function &function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

const Driver *driver() {
  static std::atomic<const Driver *> found{nullptr};
  if (const Driver *known = found.load(std::memory_order_acquire))
    return known;
  void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
  if (library == nullptr)
    return nullptr;
  static Driver calls;
  if (!find(library, "cuCtxGetCurrent", calls.ctxGetCurrent) ||
      !find(library, "cuCtxSetCurrent", calls.ctxSetCurrent) ||
      !find(library, "cuCtxGetDevice", calls.ctxGetDevice) ||
      !find(library, "cuCtxSynchronize", calls.ctxSynchronize) ||
      !find(library, "cuDeviceGetName", calls.deviceGetName) ||
      !find(library, "cuDeviceGetAttribute", calls.deviceGetAttribute) ||
      !find(library, "cuMemAlloc_v2", calls.memAlloc) ||
      !find(library, "cuMemFree_v2", calls.memFree) ||
      !find(library, "cuMemGetInfo_v2", calls.memGetInfo) ||
      !find(library, "cuMemsetD8Async", calls.memsetAsync) ||
      !find(library, "cuMemcpyHtoDAsync_v2", calls.copyToDevice) ||
      !find(library, "cuMemcpyDtoHAsync_v2", calls.copyToHost) ||
      !find(library, "cuStreamCreate", calls.streamCreate) ||
      !find(library, "cuStreamSynchronize", calls.streamSynchronize) ||
      !find(library, "cuStreamIsCapturing", calls.streamIsCapturing) ||
      !find(library, "cuThreadExchangeStreamCaptureMode", calls.exchangeCaptureMode))
    return nullptr;
  found.store(&calls, std::memory_order_release);
  return &calls;
}

} // namespace relayout::gpu
