// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cuRAND's MTGP32; nothing of it is there, so that a use does not
// compile.
#pragma once
#define CURAND_MTGP32_HOST_H

#include "cuda_runtime.h"
