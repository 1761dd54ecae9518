// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: intrinsics; all of it comes with the front door.
#pragma once
#define __SM_35_INTRINSICS_H__

#include "cuda_runtime.h"
