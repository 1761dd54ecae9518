// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the built-in types.
#pragma once

#include "cuda_runtime.h"
