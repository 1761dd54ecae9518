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
    void *const cupti = openCuptiLibrary(reason);
    if (cupti == nullptr)
      return false;
    void *const driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (driver == nullptr) {
      reason = "libcuda.so.1 was not found";
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
      reason = "CUPTI or the driver is too old: it has no '" + lacking + "'";
    return lacking.empty();
  }();
  why = reason;
  return isFound ? &calls : nullptr;
}

std::string describe(const CuptiCalls &calls, CUptiResult status) {
  const char *name = nullptr;
  calls.cuptiGetResultString(status, &name);
  return describeCuptiError(status, name);
}

} // namespace relayout::gpu
