// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cudaProfilerStart and cudaProfilerStop.
#pragma once
#define __CUDA_PROFILER_API_H__

#include "cuda_runtime.h"
