// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: asynchronous copies; nothing of it is there, so that a use does
// not compile.
#pragma once
#define _CUDA_PIPELINE_H_

#include "cuda_runtime.h"
