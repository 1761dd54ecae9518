// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: arithmetic of doubles; all of it comes with the front door.
#pragma once
#define __DEVICE_DOUBLE_FUNCTIONS_H__

#include "cuda_runtime.h"
