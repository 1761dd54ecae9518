// SPDX-License-Identifier: Apache-2.0
// Hardware truth: finds CUPTI's calls and says in words what went wrong with one.
#include "cupti_calls.h"
#include "cupti_library.h"

#include <dlfcn.h>
#include <type_traits>

namespace relayout::gpu {
namespace {

template <class Function>
void find(void *library, const char *name, Function &function, std::string &lacking) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && lacking.empty())
    lacking = name;
}

} // namespace

const CuptiCalls *findCuptiCalls(std::string &why) {
  static CuptiCalls calls;
  static std::string reason;
  static const bool isFound = [] {
    void *const cupti = openCuptiLibrary();
    void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (cupti == nullptr || driver == nullptr) {
      reason = (cupti == nullptr ? cuptiLibraryName() : "libcuda.so.1") + " was not found";
      return false;
    }
    std::string lacking;
#define CALL(name) find(cupti, #name, calls.name, lacking);
    RELAYOUT_CUPTI_CALLS(CALL)
#undef CALL
#define CALL(name) find(driver, #name, calls.name, lacking);
    RELAYOUT_DRIVER_CALLS(CALL)
#undef CALL
    if (!lacking.empty())
      reason = "it is too old: it has no '" + lacking + "'";
    return lacking.empty();
  }();
  why = reason;
  return isFound ? &calls : nullptr;
}

std::string describe(const CuptiCalls &calls, CUptiResult status) {
  const char *name = nullptr;
  calls.cuptiGetResultString(status, &name);
  std::string text = name != nullptr ? name : "error " + std::to_string(status) + " of CUPTI";
  switch (status) {
  case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
  case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
    return text + ": the driver keeps counters for administrators; run as root, or load the nvidia "
                  "module with NVreg_RestrictProfilingToAdminUsers=0";
  case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    return text + ": another profiler or a sanitizer is in this process; run without it";
  case CUPTI_ERROR_HARDWARE_BUSY:
    return text + ": another process counts on this GPU; wait for its end";
  case CUPTI_ERROR_NOT_SUPPORTED:
    return text + ": this GPU cannot; it needs compute capability 7.5 or later";
  default:
    return text;
  }
}

} // namespace relayout::gpu
