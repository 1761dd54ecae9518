// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: arithmetic of constants.
#pragma once

#include "util_type.cuh"

#define CUB_MIN(a, b) (((a) > (b)) ? (b) : (a))
#define CUB_MAX(a, b) (((a) > (b)) ? (a) : (b))
#define CUB_QUOTIENT_FLOOR(x, y) ((x) / (y))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y)-1) / (y))
#define CUB_ROUND_UP_NEAREST(x, y) (CUB_QUOTIENT_CEILING(x, y) * (y))
#define CUB_ROUND_DOWN_NEAREST(x, y) (((x) / (y)) * (y))
#define CUB_STATIC_ASSERT(condition, message) static_assert(condition, #message)
#define CUB_CAT_(a, b) a##b
#define CUB_CAT(a, b) CUB_CAT_(a, b)
