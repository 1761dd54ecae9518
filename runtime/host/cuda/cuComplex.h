// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: complex numbers as pairs of floats and doubles.
#pragma once
#define CU_COMPLEX_H_

#include "relayout/host/macros_aside.h"

#include "cuda_runtime.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define RELAYOUT_COMPLEX(Complex, Real, suffix, root)                                              \
  __host__ __device__ inline Real cuCreal##suffix(Complex a) { return a.x; }                       \
  __host__ __device__ inline Real cuCimag##suffix(Complex a) { return a.y; }                       \
  __host__ __device__ inline Complex make_##Complex(Real re, Real im) { return Complex{re, im}; }  \
  __host__ __device__ inline Complex cuConj##suffix(Complex a) { return Complex{a.x, -a.y}; }      \
  __host__ __device__ inline Complex cuCadd##suffix(Complex a, Complex b) {                        \
    return Complex{a.x + b.x, a.y + b.y};                                                          \
  }                                                                                                \
  __host__ __device__ inline Complex cuCsub##suffix(Complex a, Complex b) {                        \
    return Complex{a.x - b.x, a.y - b.y};                                                          \
  }                                                                                                \
  __host__ __device__ inline Complex cuCmul##suffix(Complex a, Complex b) {                        \
    return Complex{a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};                                  \
  }                                                                                                \
  __host__ __device__ inline Complex cuCdiv##suffix(Complex a, Complex b) {                        \
    /* Scaled, so that the square of the divisor's size does not overflow. */                      \
    const Real scale = 1 / ((b.x < 0 ? -b.x : b.x) + (b.y < 0 ? -b.y : b.y));                      \
    const Real ax = a.x * scale, ay = a.y * scale, bx = b.x * scale, by = b.y * scale;             \
    const Real inverse = 1 / (bx * bx + by * by);                                                  \
    return Complex{(ax * bx + ay * by) * inverse, (ay * bx - ax * by) * inverse};                  \
  }                                                                                                \
  __host__ __device__ inline Complex cuCfma##suffix(Complex a, Complex b, Complex c) {             \
    return Complex{a.x * b.x + c.x - a.y * b.y, a.x * b.y + c.y + a.y * b.x};                      \
  }                                                                                                \
  __host__ __device__ inline Real cuCabs##suffix(Complex a) { return root(a.x, a.y); }
RELAYOUT_COMPLEX(cuFloatComplex, float, f, ::hypotf)
RELAYOUT_COMPLEX(cuDoubleComplex, double, , ::hypot)
#undef RELAYOUT_COMPLEX

__host__ __device__ inline cuComplex make_cuComplex(float re, float im) {
  return cuComplex{re, im};
}
__host__ __device__ inline cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex a) {
  return cuDoubleComplex{a.x, a.y};
}
__host__ __device__ inline cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex a) {
  return cuFloatComplex{static_cast<float>(a.x), static_cast<float>(a.y)};
}

#include "relayout/host/macros_back.h"
