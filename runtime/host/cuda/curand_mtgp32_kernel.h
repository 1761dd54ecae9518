// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: a part of cuRAND's device API; all of it is in one place.
#pragma once
#define CURAND_MTGP32_KERNEL_H

#include "curand_kernel.h"
