// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the built-in vector types, sized and aligned as CUDA's.
#pragma once
#define __VECTOR_TYPES_H__

#include "host_defines.h"

#define RELAYOUT_VECTOR_TYPES(name, scalar, align2, align4)                                        \
  struct name##1 {                                                                                 \
    scalar x;                                                                                      \
  };                                                                                               \
  struct __align__(align2) name##2 {                                                               \
    scalar x, y;                                                                                   \
  };                                                                                               \
  struct name##3 {                                                                                 \
    scalar x, y, z;                                                                                \
  };                                                                                               \
  struct __align__(align4) name##4 {                                                               \
    scalar x, y, z, w;                                                                             \
  };

RELAYOUT_VECTOR_TYPES(char, signed char, 2, 4)
RELAYOUT_VECTOR_TYPES(uchar, unsigned char, 2, 4)
RELAYOUT_VECTOR_TYPES(short, short, 4, 8)
RELAYOUT_VECTOR_TYPES(ushort, unsigned short, 4, 8)
RELAYOUT_VECTOR_TYPES(int, int, 8, 16)
RELAYOUT_VECTOR_TYPES(uint, unsigned int, 8, 16)
RELAYOUT_VECTOR_TYPES(long, long int, 16, 16)
RELAYOUT_VECTOR_TYPES(ulong, unsigned long int, 16, 16)
RELAYOUT_VECTOR_TYPES(longlong, long long int, 16, 16)
RELAYOUT_VECTOR_TYPES(ulonglong, unsigned long long int, 16, 16)
RELAYOUT_VECTOR_TYPES(float, float, 8, 16)
RELAYOUT_VECTOR_TYPES(double, double, 16, 16)

#undef RELAYOUT_VECTOR_TYPES

// Of 32 bytes, in the alignments that CUDA 13 tells apart.
#define RELAYOUT_WIDE_VECTOR_TYPES(name, scalar)                                                   \
  struct __align__(16) name##4_16a {                                                               \
    scalar x, y, z, w;                                                                             \
  };                                                                                               \
  struct __align__(32) name##4_32a {                                                               \
    scalar x, y, z, w;                                                                             \
  };

RELAYOUT_WIDE_VECTOR_TYPES(long, long int)
RELAYOUT_WIDE_VECTOR_TYPES(ulong, unsigned long int)
RELAYOUT_WIDE_VECTOR_TYPES(longlong, long long int)
RELAYOUT_WIDE_VECTOR_TYPES(ulonglong, unsigned long long int)
RELAYOUT_WIDE_VECTOR_TYPES(double, double)

#undef RELAYOUT_WIDE_VECTOR_TYPES

#ifdef __cplusplus
struct dim3 {
  unsigned int x, y, z;

  __host__ __device__ constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  __host__ __device__ constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  __host__ __device__ constexpr operator uint3() const { return uint3{x, y, z}; }
};
#else
typedef struct dim3 {
  unsigned int x, y, z;
} dim3;

#define RELAYOUT_NAMED(name)                                                                       \
  typedef struct name##1 name##1;                                                                  \
  typedef struct name##2 name##2;                                                                  \
  typedef struct name##3 name##3;                                                                  \
  typedef struct name##4 name##4;
RELAYOUT_NAMED(char)
RELAYOUT_NAMED(uchar)
RELAYOUT_NAMED(short)
RELAYOUT_NAMED(ushort)
RELAYOUT_NAMED(int)
RELAYOUT_NAMED(uint)
RELAYOUT_NAMED(long)
RELAYOUT_NAMED(ulong)
RELAYOUT_NAMED(longlong)
RELAYOUT_NAMED(ulonglong)
RELAYOUT_NAMED(float)
RELAYOUT_NAMED(double)
#undef RELAYOUT_NAMED
#endif
