// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: integer types; all of it comes with the front door.
#pragma once

#include "cuda_runtime.h"
