// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the runtime in device code; all of it comes with the front
// door.
#pragma once
#define __CUDA_DEVICE_RUNTIME_API_H__

#include "cuda_runtime.h"
