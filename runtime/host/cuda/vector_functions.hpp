// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: makers of vectors; all of it comes with the front door.
#pragma once
#define __VECTOR_FUNCTIONS_HPP__

#include "cuda_runtime.h"
