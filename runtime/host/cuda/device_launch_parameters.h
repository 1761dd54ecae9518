// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: which thread of which block is running.
#pragma once
#define __DEVICE_LAUNCH_PARAMETERS_H__

#include "vector_types.h"

#ifdef __CUDA__
extern const __device__ uint3 threadIdx;
extern const __device__ uint3 blockIdx;
extern const __device__ dim3 blockDim;
extern const __device__ dim3 gridDim;
extern const __device__ int warpSize;
#else
// __thread, not thread_local: no wrapper stands before each use. The executor is linked into the
// program, which libraries need not be: theirs are not local.
extern __thread uint3 threadIdx __attribute__((tls_model("local-exec")));
extern __thread uint3 blockIdx __attribute__((tls_model("local-exec")));
extern __thread dim3 blockDim __attribute__((tls_model("local-exec")));
extern __thread dim3 gridDim __attribute__((tls_model("local-exec")));
constexpr int warpSize = 32;
#endif
