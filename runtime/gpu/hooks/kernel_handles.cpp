// SPDX-License-Identifier: Apache-2.0
// GPU tracing: launches in the form that nvcc gives `<<<>>>` since CUDA 13.
#include "hooks.h"

using namespace relayout::cuda_abi;

extern "C" {
#define CUDA_LAUNCH(name, interface, parameters, arguments, perThread)                             \
  RELAYOUT_LAUNCH_##interface(name, parameters, arguments, perThread)
#define RELAYOUT_LAUNCH_Handle RELAYOUT_TWIN_LAUNCH_HOOKS
#define RELAYOUT_LAUNCH_Runtime(...)
#define RELAYOUT_LAUNCH_Address(...)
#define RELAYOUT_LAUNCH_Driver(...)
#include "relayout/base/cuda_calls.def"
}
