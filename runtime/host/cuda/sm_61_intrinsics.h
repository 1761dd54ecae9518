// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: kept for programs that name it.
#pragma once

#include "cuda_runtime.h"
