// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: asynchronous copies of one thread. NVIDIA's experimental class
// is not there, so that a use does not compile; <cuda/pipeline> has its successor.
#pragma once
#define _CUDA_PIPELINE_H_

#include "cuda_pipeline_primitives.h"
