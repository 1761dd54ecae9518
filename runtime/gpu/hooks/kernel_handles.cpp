// SPDX-License-Identifier: Apache-2.0
// GPU tracing: launches in the form that nvcc gives `<<<>>>` since CUDA 13.
#include "hooks.h"

using relayout::hooks::Extent;
using relayout::hooks::Status;
using relayout::hooks::Stream;

#define RELAYOUT_LAUNCH(call)                                                                      \
  Status __real_##call(void *kernel, Extent grid, Extent block, void **arguments,                  \
                       std::size_t sharedBytes, Stream stream);                                    \
  Status __wrap_##call(void *kernel, Extent grid, Extent block, void **arguments,                  \
                       std::size_t sharedBytes, Stream stream) {                                   \
    relayoutGpuArm();                                                                              \
    return __real_##call(kernel, grid, block, arguments, sharedBytes, stream);                     \
  }

extern "C" {
RELAYOUT_LAUNCH(__cudaLaunchKernel)
RELAYOUT_LAUNCH(__cudaLaunchKernel_ptsz)
}
