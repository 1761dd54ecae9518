// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: what makes positions and extents; all of it comes with the
// front door.
#pragma once
#define __DRIVER_FUNCTIONS_H__

#include "cuda_runtime.h"
