// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: half precision. Results are rounded once, as on a GPU; its
// approximate functions are the exact ones here.
#pragma once
#define __CUDA_FP16_H__

#include "relayout/host/macros_aside.h"

#include "cuda_runtime.h"
#include "device_intrinsics.h" // in host C++, too

#include "relayout/half/format.h"

struct __nv_bfloat16;
#define RELAYOUT_SCALAR __half
#define RELAYOUT_PAIR __half2
#define RELAYOUT_RAW __half_raw
#define RELAYOUT_RAW_PAIR __half2_raw
#define RELAYOUT_OTHER __nv_bfloat16
#define RELAYOUT_NAME half
#define RELAYOUT_PAIR_NAME half2
#define RELAYOUT_EXPONENT_BITS 5
#include "relayout/half/types.inc"

typedef __half half;
typedef __half2 half2;
typedef __half __nv_half;
typedef __half2 __nv_half2;
typedef __half nv_half;
typedef __half2 nv_half2;

#include "relayout/host/macros_back.h"
