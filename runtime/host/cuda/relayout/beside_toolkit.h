// SPDX-License-Identifier: Apache-2.0
// What nvcc makes of a toolkit's headers and Clang does not: included behind Clang's own wrapper of
// them.
#pragma once

#ifdef RELAYOUT_SHARED_BY_NAME // without Clang's check of constructors, which nvcc does not make
#undef __shared__
#define __shared__ __attribute__((annotate("relayout_shared")))
#endif

// Clang's are for device code alone.
#define RELAYOUT_HD __host__ inline
#include "min_max.h"
#undef RELAYOUT_HD

// Allocations of device code: Clang reads the header that declares them as for a host compiler.
extern "C" __device__ cudaError_t cudaMalloc(void **pointer, size_t bytes);
extern "C" __device__ cudaError_t cudaFree(void *pointer);
