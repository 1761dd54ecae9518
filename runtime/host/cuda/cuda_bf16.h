// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: bfloat16. Results are rounded once, as on a GPU; its
// approximate functions are the exact ones here.
#pragma once
#define __CUDA_BF16_H__

#include "relayout/host/macros_aside.h"

#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "device_intrinsics.h" // in host C++, too

#include "relayout/half/format.h"

#define RELAYOUT_SCALAR __nv_bfloat16
#define RELAYOUT_PAIR __nv_bfloat162
#define RELAYOUT_RAW __nv_bfloat16_raw
#define RELAYOUT_RAW_PAIR __nv_bfloat162_raw
#define RELAYOUT_OTHER __half
#define RELAYOUT_NAME bfloat16
#define RELAYOUT_PAIR_NAME bfloat162
#define RELAYOUT_EXPONENT_BITS 8
#include "relayout/half/types.inc"

__host__ __device__ inline __nv_bfloat16::__nv_bfloat16(const __half &value)
    : __nv_bfloat16(value.number()) {}
__host__ __device__ inline __half::__half(const __nv_bfloat16 &value) : __half(value.number()) {}

typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

#include "relayout/host/macros_back.h"
