// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what stands between an instrumented program and the CUDA calls that the trace must
// know of. `relayout cc` links it with `--wrap`, which turns the program's f into __wrap_f and
// ours of __real_f into f. It needs neither CUPTI nor CUDA's headers: the table of calls
// (cuda_calls.def) has their signatures, and CUDA's types are those of its ABI. Each file is one
// member of the archive, so that no call is linked that the program does not make itself.
#pragma once

#include "relayout/base/cuda_abi.h"
#include "relayout/device/module.h"

#define RELAYOUT_LIST(...) __VA_ARGS__
#define RELAYOUT_DEFAULT(value)

/// Defines __wrap_NAME; `before` runs, then the call, then `after`, which sees its `status`.
#define RELAYOUT_HOOK(name, parameters, arguments, before, after)                                  \
  Status __real_##name parameters;                                                                 \
  Status __wrap_##name parameters {                                                                \
    before;                                                                                        \
    const Status status = __real_##name arguments;                                                 \
    after;                                                                                         \
    return status;                                                                                 \
  }

/// The same for the name with a default stream per thread, where there is one.
#define RELAYOUT_HOOKS(name, parameters, arguments, before, after, ...)                            \
  RELAYOUT_HOOK(name, parameters, arguments, before, after)                                        \
  __VA_OPT__(RELAYOUT_HOOK(__VA_ARGS__, parameters, arguments, before, after))

#define RELAYOUT_LAUNCH_HOOKS(name, parameters, arguments, perThread)                              \
  RELAYOUT_HOOKS(name, parameters, arguments, relayoutGpuArm(), , perThread)

namespace relayout::cuda_abi {

/// \tparam Kernel  as the call has it
template <class Kernel>
Kernel *kernelOrTwin(Kernel *kernel, size_t sharedBytes, cudaStream_t stream) {
  relayoutGpuArm();
  return const_cast<Kernel *>(relayoutGpuKernelOrTwin(kernel, sharedBytes, stream));
}

} // namespace relayout::cuda_abi

/// Of calls with parameters `kernel`, `sharedBytes` and `stream`: may launch the kernel's twin.
#define RELAYOUT_TWIN_LAUNCH_HOOKS(name, parameters, arguments, perThread)                         \
  RELAYOUT_HOOKS(name, parameters, arguments, kernel = kernelOrTwin(kernel, sharedBytes, stream),  \
                 , perThread)
