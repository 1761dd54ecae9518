// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cudaProfilerStart and cudaProfilerStop.
#pragma once

#include "cuda_runtime.h"
