// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cuRAND's device API.
#pragma once
#define CURAND_KERNEL_H_

#include "relayout/host/macros_aside.h"

#include "cuda_runtime.h"

#include "curand.h"
#include "relayout/random/distributions.h"
#include "relayout/random/mtgp32.h"

#include "relayout/host/macros_back.h"
