// SPDX-License-Identifier: Apache-2.0
// CPU executor's cuBLAS: vectors. A negative distance walks a vector from its end, as in BLAS.
#pragma once

#include <cmath>

namespace relayout::host::blas {

template <class T> struct Vector {
  T *first;
  long step;

  Vector(T *x, int n, int increment)
      : first(increment < 0 ? x - static_cast<long>(n - 1) * increment : x), step(increment) {}
  T &operator[](long i) const { return first[i * step]; }
};

template <class T> T dot(int n, const T *x, int incx, const T *y, int incy) {
  const Vector<const T> a(x, n, incx), b(y, n, incy);
  T sum = 0;
  for (int i = 0; i < n; ++i)
    sum += a[i] * b[i];
  return sum;
}

/// Number, from 1, of the element that is `before` all others; 0 where there is none.
template <class T, class Before> int extreme(int n, const T *x, int incx, Before before) {
  if (n < 1 || incx < 1)
    return 0;
  int found = 0;
  for (int i = 1; i < n; ++i)
    if (before(std::abs(x[static_cast<long>(i) * incx]),
               std::abs(x[static_cast<long>(found) * incx])))
      found = i;
  return found + 1;
}

} // namespace relayout::host::blas

#define RELAYOUT_CUBLAS_LEVEL1(P, p, T)                                                            \
  inline cublasStatus_t cublas##P##copy(cublasHandle_t, int n, const T *x, int incx, T *y,         \
                                        int incy) {                                                \
    const relayout::host::blas::Vector<const T> from(x, n, incx);                                  \
    const relayout::host::blas::Vector<T> to(y, n, incy);                                          \
    for (int i = 0; i < n; ++i)                                                                    \
      to[i] = from[i];                                                                             \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublas##P##swap(cublasHandle_t, int n, T *x, int incx, T *y, int incy) {   \
    const relayout::host::blas::Vector<T> a(x, n, incx), b(y, n, incy);                            \
    for (int i = 0; i < n; ++i) {                                                                  \
      const T held = a[i];                                                                         \
      a[i] = b[i];                                                                                 \
      b[i] = held;                                                                                 \
    }                                                                                              \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublas##P##scal(cublasHandle_t, int n, const T *alpha, T *x, int incx) {   \
    for (int i = 0; i < n && incx > 0; ++i)                                                        \
      x[static_cast<long>(i) * incx] *= *alpha;                                                    \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublas##P##axpy(cublasHandle_t, int n, const T *alpha, const T *x,         \
                                        int incx, T *y, int incy) {                                \
    const relayout::host::blas::Vector<const T> a(x, n, incx);                                     \
    const relayout::host::blas::Vector<T> b(y, n, incy);                                           \
    for (int i = 0; i < n; ++i)                                                                    \
      b[i] = *alpha * a[i] + b[i];                                                                 \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublas##P##dot(cublasHandle_t, int n, const T *x, int incx, const T *y,    \
                                       int incy, T *result) {                                      \
    *result = relayout::host::blas::dot(n, x, incx, y, incy);                                      \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublas##P##nrm2(cublasHandle_t, int n, const T *x, int incx, T *result) {  \
    *result = std::sqrt(relayout::host::blas::dot(n, x, incx, x, incx));                           \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublas##P##asum(cublasHandle_t, int n, const T *x, int incx, T *result) {  \
    T sum = 0;                                                                                     \
    for (int i = 0; i < n && incx > 0; ++i)                                                        \
      sum += std::abs(x[static_cast<long>(i) * incx]);                                             \
    *result = sum;                                                                                 \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublasI##p##amax(cublasHandle_t, int n, const T *x, int incx,              \
                                         int *result) {                                            \
    *result = relayout::host::blas::extreme(n, x, incx, [](T a, T b) { return a > b; });           \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublasI##p##amin(cublasHandle_t, int n, const T *x, int incx,              \
                                         int *result) {                                            \
    *result = relayout::host::blas::extreme(n, x, incx, [](T a, T b) { return a < b; });           \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublas##P##rot(cublasHandle_t, int n, T *x, int incx, T *y, int incy,      \
                                       const T *c, const T *s) {                                   \
    const relayout::host::blas::Vector<T> a(x, n, incx), b(y, n, incy);                            \
    for (int i = 0; i < n; ++i) {                                                                  \
      const T turned = *c * a[i] + *s * b[i];                                                      \
      b[i] = *c * b[i] - *s * a[i];                                                                \
      a[i] = turned;                                                                               \
    }                                                                                              \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }

RELAYOUT_CUBLAS_LEVEL1(S, s, float)
RELAYOUT_CUBLAS_LEVEL1(D, d, double)
#undef RELAYOUT_CUBLAS_LEVEL1
