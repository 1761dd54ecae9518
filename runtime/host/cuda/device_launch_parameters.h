// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: which thread of which block is running.
#pragma once

#include "vector_types.h"

#ifdef __CUDA__
extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;
#else
// __thread, not thread_local: no wrapper stands before each use.
extern __thread uint3 threadIdx;
extern __thread uint3 blockIdx;
extern __thread dim3 blockDim;
extern __thread dim3 gridDim;
constexpr int warpSize = 32;
#endif
