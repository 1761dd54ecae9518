// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: kept for programs that name it.
#pragma once
#define __COMMON_FUNCTIONS_H__

#include "cuda_runtime.h"
