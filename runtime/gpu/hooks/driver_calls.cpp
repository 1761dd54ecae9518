// SPDX-License-Identifier: Apache-2.0
// GPU tracing: launches over the CUDA driver.
#include "hooks.h"

using relayout::hooks::Status;
using relayout::hooks::Stream;

#define RELAYOUT_LAUNCH(call)                                                                      \
  Status __real_##call(void *kernel, unsigned gridX, unsigned gridY, unsigned gridZ,               \
                       unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,    \
                       Stream stream, void **arguments, void **extra);                             \
  Status __wrap_##call(void *kernel, unsigned gridX, unsigned gridY, unsigned gridZ,               \
                       unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,    \
                       Stream stream, void **arguments, void **extra) {                            \
    relayoutGpuArm();                                                                              \
    return __real_##call(kernel, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, \
                         arguments, extra);                                                        \
  }

#define RELAYOUT_LAUNCH_EX(call)                                                                   \
  Status __real_##call(const void *configuration, void *kernel, void **arguments, void **extra);   \
  Status __wrap_##call(const void *configuration, void *kernel, void **arguments, void **extra) {  \
    relayoutGpuArm();                                                                              \
    return __real_##call(configuration, kernel, arguments, extra);                                 \
  }

#define RELAYOUT_COOPERATIVE(call)                                                                 \
  Status __real_##call(void *kernel, unsigned gridX, unsigned gridY, unsigned gridZ,               \
                       unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,    \
                       Stream stream, void **arguments);                                           \
  Status __wrap_##call(void *kernel, unsigned gridX, unsigned gridY, unsigned gridZ,               \
                       unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,    \
                       Stream stream, void **arguments) {                                          \
    relayoutGpuArm();                                                                              \
    return __real_##call(kernel, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, \
                         arguments);                                                               \
  }

#define RELAYOUT_GRAPH_LAUNCH(call)                                                                \
  Status __real_##call(void *graph, Stream stream);                                                \
  Status __wrap_##call(void *graph, Stream stream) {                                               \
    relayoutGpuArm();                                                                              \
    return __real_##call(graph, stream);                                                           \
  }

extern "C" {
RELAYOUT_LAUNCH(cuLaunchKernel)
RELAYOUT_LAUNCH(cuLaunchKernel_ptsz)
RELAYOUT_LAUNCH_EX(cuLaunchKernelEx)
RELAYOUT_LAUNCH_EX(cuLaunchKernelEx_ptsz)
RELAYOUT_COOPERATIVE(cuLaunchCooperativeKernel)
RELAYOUT_COOPERATIVE(cuLaunchCooperativeKernel_ptsz)
RELAYOUT_GRAPH_LAUNCH(cuGraphLaunch)
RELAYOUT_GRAPH_LAUNCH(cuGraphLaunch_ptsz)
}
