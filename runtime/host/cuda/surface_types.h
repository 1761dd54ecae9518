// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: types of surfaces; all of it comes with the front door.
#pragma once
#define __SURFACE_TYPES_H__

#include "cuda_runtime.h"
