// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: kept for programs that name it.
#pragma once
#define __SM_61_INTRINSICS_H__

#include "cuda_runtime.h"
