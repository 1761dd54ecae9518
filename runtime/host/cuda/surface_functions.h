// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: a header of CUDA 11; accesses to surfaces; all of it comes with
// the front door.
#pragma once

#include "cuda_runtime.h"
