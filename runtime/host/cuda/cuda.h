// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the driver's header; here for what includes it. Of the driver's
// calls there is none, but programs compare the runtime's status with its success.
#pragma once

#include "cuda_runtime.h"

typedef enum cudaError_enum { CUDA_SUCCESS = 0 } CUresult;
