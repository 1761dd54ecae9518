// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: atomic functions; all of it comes with the front door.
#pragma once
#define __SM_35_ATOMIC_FUNCTIONS_H__

#include "cuda_runtime.h"
