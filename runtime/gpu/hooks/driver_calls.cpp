// SPDX-License-Identifier: Apache-2.0
// GPU tracing: launches over the CUDA driver.
#include "hooks.h"

using namespace relayout::cuda_abi;

extern "C" {
#define CUDA_LAUNCH(name, interface, parameters, arguments, perThread)                             \
  RELAYOUT_LAUNCH_##interface(name, parameters, arguments, perThread)
#define RELAYOUT_LAUNCH_Driver RELAYOUT_LAUNCH_HOOKS
#define RELAYOUT_LAUNCH_Runtime(...)
#define RELAYOUT_LAUNCH_Address(...)
#define RELAYOUT_LAUNCH_Handle(...)
#include "relayout/base/cuda_calls.def"
}
