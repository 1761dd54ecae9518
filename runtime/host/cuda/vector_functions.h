// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: makers of the built-in vector types.
#pragma once
#define __VECTOR_FUNCTIONS_H__

#include "vector_types.h"

#define RELAYOUT_VECTOR_MAKERS(name, scalar)                                                       \
  __host__ __device__ inline name##1 make_##name##1(scalar x) { return name##1 {x}; }              \
  __host__ __device__ inline name##2 make_##name##2(scalar x, scalar y) { return name##2 {x, y}; } \
  __host__ __device__ inline name##3 make_##name##3(scalar x, scalar y, scalar z) {                \
    return name##3 {x, y, z};                                                                      \
  }                                                                                                \
  __host__ __device__ inline name##4 make_##name##4(scalar x, scalar y, scalar z, scalar w) {      \
    return name##4 {x, y, z, w};                                                                   \
  }

RELAYOUT_VECTOR_MAKERS(char, signed char)
RELAYOUT_VECTOR_MAKERS(uchar, unsigned char)
RELAYOUT_VECTOR_MAKERS(short, short)
RELAYOUT_VECTOR_MAKERS(ushort, unsigned short)
RELAYOUT_VECTOR_MAKERS(int, int)
RELAYOUT_VECTOR_MAKERS(uint, unsigned int)
RELAYOUT_VECTOR_MAKERS(long, long int)
RELAYOUT_VECTOR_MAKERS(ulong, unsigned long int)
RELAYOUT_VECTOR_MAKERS(longlong, long long int)
RELAYOUT_VECTOR_MAKERS(ulonglong, unsigned long long int)
RELAYOUT_VECTOR_MAKERS(float, float)
RELAYOUT_VECTOR_MAKERS(double, double)

#undef RELAYOUT_VECTOR_MAKERS

#define RELAYOUT_WIDE_VECTOR_MAKERS(name, scalar)                                                  \
  __host__ __device__ inline name##4_16a make_##name##4_16a(scalar x, scalar y, scalar z,          \
                                                            scalar w) {                            \
    return name##4_16a {x, y, z, w};                                                               \
  }                                                                                                \
  __host__ __device__ inline name##4_32a make_##name##4_32a(scalar x, scalar y, scalar z,          \
                                                            scalar w) {                            \
    return name##4_32a {x, y, z, w};                                                               \
  }

RELAYOUT_WIDE_VECTOR_MAKERS(long, long int)
RELAYOUT_WIDE_VECTOR_MAKERS(ulong, unsigned long int)
RELAYOUT_WIDE_VECTOR_MAKERS(longlong, long long int)
RELAYOUT_WIDE_VECTOR_MAKERS(ulonglong, unsigned long long int)
RELAYOUT_WIDE_VECTOR_MAKERS(double, double)

#undef RELAYOUT_WIDE_VECTOR_MAKERS
