// SPDX-License-Identifier: Apache-2.0
// GPU tracing: calls of the CUDA runtime.
#include "hooks.h"

using namespace relayout::cuda_abi;

namespace {

/// Bytes from the first to the last of a copy.
[[maybe_unused]] size_t extent(size_t toPitch, size_t, size_t width, size_t height,
                               cudaMemcpyKind) {
  return height == 0 ? 0 : toPitch * (height - 1) + width;
}

} // namespace

extern "C" {
#define CUDA_ALLOCATION(name, order, form, memory, parameters, arguments, bytes, ...)              \
  RELAYOUT_ALLOCATION_##memory(name, (void **pointer, RELAYOUT_LIST parameters),                   \
                               (pointer, RELAYOUT_LIST arguments),                                 \
                               bytes __VA_OPT__(, ) __VA_ARGS__)
#define RELAYOUT_ALLOCATION_Device(name, parameters, arguments, bytes, ...)                        \
  RELAYOUT_HOOKS(name, parameters, arguments, ,                                                    \
                 if (status == 0) relayoutGpuAllocated(*pointer, bytes), __VA_ARGS__)
#define RELAYOUT_ALLOCATION_Managed RELAYOUT_ALLOCATION_Device
#define RELAYOUT_ALLOCATION_Pitched RELAYOUT_ALLOCATION_Device
#define RELAYOUT_ALLOCATION_Host(...)
#define CUDA_FREE(name, order, form, memory, parameters, arguments, ...)                           \
  RELAYOUT_FREE_##memory(name, parameters, arguments __VA_OPT__(, ) __VA_ARGS__)
#define RELAYOUT_FREE_Device(name, parameters, arguments, ...)                                     \
  RELAYOUT_HOOKS(name, parameters, arguments, relayoutGpuFreed(pointer), , __VA_ARGS__)
#define RELAYOUT_FREE_Host(...)
#define CUDA_COPY(name, order, form, parameters, arguments, rows, ...)                             \
  RELAYOUT_HOOKS(name, parameters, arguments, relayoutGpuCopied(to, from, extent rows), ,          \
                 __VA_ARGS__)
#define CUDA_LAUNCH(name, interface, parameters, arguments, perThread)                             \
  RELAYOUT_LAUNCH_##interface(name, parameters, arguments, perThread)
#define RELAYOUT_LAUNCH_Runtime RELAYOUT_LAUNCH_HOOKS
#define RELAYOUT_LAUNCH_Address RELAYOUT_TWIN_LAUNCH_HOOKS
#define RELAYOUT_LAUNCH_Handle(...)
#define RELAYOUT_LAUNCH_Driver(...)
#define CUDA_RESET(name) RELAYOUT_HOOKS(name, (), (), relayoutGpuContextEnds(), , )
#include "relayout/base/cuda_calls.def"
} // extern "C"
