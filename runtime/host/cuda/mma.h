// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the matrix units' wmma; nothing of it is there, so that a use
// does not compile.
#pragma once
#define __CUDA_MMA_H__

#include "cuda_runtime.h"
