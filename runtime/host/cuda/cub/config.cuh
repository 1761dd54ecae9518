// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: what programs write around their own extensions of CUB.
#pragma once

#include "cuda_runtime.h"

#include "version.cuh"

#define CUB_RUNTIME_FUNCTION __host__ __device__
#define CUB_NS_PREFIX
#define CUB_NS_POSTFIX
#define CUB_NS_QUALIFIER ::cub
#define CUB_NAMESPACE_BEGIN namespace cub {
#define CUB_NAMESPACE_END }
#define CUB_WARP_THREADS(unused) 32
#define CUB_LOG_WARP_THREADS(unused) 5
#define CUB_PTX_WARP_THREADS 32
#define CUB_PTX_LOG_WARP_THREADS 5
#ifndef CUB_PTX_ARCH
#ifdef __CUDA_ARCH__
#define CUB_PTX_ARCH __CUDA_ARCH__
#else
#define CUB_PTX_ARCH 0
#endif
#endif
