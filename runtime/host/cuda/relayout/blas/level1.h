// SPDX-License-Identifier: Apache-2.0
// CPU executor's cuBLAS: vectors. A negative distance walks a vector from its end, as in BLAS.
#pragma once

namespace relayout::host::blas {

template <class T> struct Vector {
  T *first;
  long step;

  Vector(T *x, int n, int increment)
      : first(increment < 0 ? x - static_cast<long>(n - 1) * increment : x), step(increment) {}
  T &operator[](long i) const { return first[i * step]; }
};

template <class T> cublasStatus_t copy(int n, const T *x, int incx, T *y, int incy) {
  const Vector<const T> from(x, n, incx);
  const Vector<T> to(y, n, incy);
  for (int i = 0; i < n; ++i)
    to[i] = from[i];
  return CUBLAS_STATUS_SUCCESS;
}

template <class T> cublasStatus_t swap(int n, T *x, int incx, T *y, int incy) {
  const Vector<T> a(x, n, incx), b(y, n, incy);
  for (int i = 0; i < n; ++i) {
    const T held = a[i];
    a[i] = b[i];
    b[i] = held;
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <class T> cublasStatus_t scal(int n, T alpha, T *x, int incx) {
  for (int i = 0; i < n && incx > 0; ++i)
    x[static_cast<long>(i) * incx] *= alpha;
  return CUBLAS_STATUS_SUCCESS;
}

template <class T> cublasStatus_t axpy(int n, T alpha, const T *x, int incx, T *y, int incy) {
  const Vector<const T> a(x, n, incx);
  const Vector<T> b(y, n, incy);
  for (int i = 0; i < n; ++i)
    b[i] = alpha * a[i] + b[i];
  return CUBLAS_STATUS_SUCCESS;
}

template <class T> T dot(int n, const T *x, int incx, const T *y, int incy, bool isConjugated) {
  const Vector<const T> a(x, n, incx), b(y, n, incy);
  T sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (isConjugated ? conjugate(a[i]) : a[i]) * b[i];
  return sum;
}

template <class T> auto nrm2(int n, const T *x, int incx) {
  return std::sqrt(realPart(dot(n, x, incx, x, incx, true)));
}

template <class T> auto asum(int n, const T *x, int incx) {
  decltype(size(*x)) sum = 0;
  for (int i = 0; i < n && incx > 0; ++i)
    sum += size(x[static_cast<long>(i) * incx]);
  return sum;
}

/// Number, from 1, of the element whose size is `before` all others'; 0 where there is none.
template <class T, class Before> int extreme(int n, const T *x, int incx, Before before) {
  if (n < 1 || incx < 1)
    return 0;
  int found = 0;
  for (int i = 1; i < n; ++i)
    if (before(size(x[static_cast<long>(i) * incx]), size(x[static_cast<long>(found) * incx])))
      found = i;
  return found + 1;
}

/// \param sine  a number of the vectors' type, or a real one
template <class T, class Real, class Sine>
cublasStatus_t rot(int n, T *x, int incx, T *y, int incy, Real cosine, Sine sine) {
  const Vector<T> a(x, n, incx), b(y, n, incy);
  for (int i = 0; i < n; ++i) {
    const T turned = T(cosine) * a[i] + T(sine) * b[i];
    b[i] = T(cosine) * b[i] - conjugate(T(sine)) * a[i];
    a[i] = turned;
  }
  return CUBLAS_STATUS_SUCCESS;
}

} // namespace relayout::host::blas

/// \param R  type of the real numbers
/// \param N  what names of functions with real results begin with
#define RELAYOUT_CUBLAS_LEVEL1(P, p, T, R, N)                                                      \
  inline cublasStatus_t cublas##P##copy(cublasHandle_t, int n, const T *x, int incx, T *y,         \
                                        int incy) {                                                \
    return relayout::host::blas::copy(n, x, incx, y, incy);                                        \
  }                                                                                                \
  inline cublasStatus_t cublas##P##swap(cublasHandle_t, int n, T *x, int incx, T *y, int incy) {   \
    return relayout::host::blas::swap(n, x, incx, y, incy);                                        \
  }                                                                                                \
  inline cublasStatus_t cublas##P##scal(cublasHandle_t, int n, const T *alpha, T *x, int incx) {   \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::scal(n, *numbers(alpha), numbers(x), incx);                       \
  }                                                                                                \
  inline cublasStatus_t cublas##P##axpy(cublasHandle_t, int n, const T *alpha, const T *x,         \
                                        int incx, T *y, int incy) {                                \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::axpy(n, *numbers(alpha), numbers(x), incx, numbers(y), incy);     \
  }                                                                                                \
  inline cublasStatus_t cublas##N##nrm2(cublasHandle_t, int n, const T *x, int incx, R *result) {  \
    using namespace relayout::host::blas;                                                          \
    *result = relayout::host::blas::nrm2(n, numbers(x), incx);                                     \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublas##N##asum(cublasHandle_t, int n, const T *x, int incx, R *result) {  \
    using namespace relayout::host::blas;                                                          \
    *result = relayout::host::blas::asum(n, numbers(x), incx);                                     \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublasI##p##amax(cublasHandle_t, int n, const T *x, int incx,              \
                                         int *result) {                                            \
    using namespace relayout::host::blas;                                                          \
    *result = extreme(n, numbers(x), incx, [](R a, R b) { return a > b; });                        \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublasI##p##amin(cublasHandle_t, int n, const T *x, int incx,              \
                                         int *result) {                                            \
    using namespace relayout::host::blas;                                                          \
    *result = extreme(n, numbers(x), incx, [](R a, R b) { return a < b; });                        \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublas##P##rot(cublasHandle_t, int n, T *x, int incx, T *y, int incy,      \
                                       const R *c, const T *s) {                                   \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::rot(n, numbers(x), incx, numbers(y), incy, *c, *numbers(s));      \
  }
#define RELAYOUT_CUBLAS_DOT(name, T, isConjugated)                                                 \
  inline cublasStatus_t cublas##name(cublasHandle_t, int n, const T *x, int incx, const T *y,      \
                                     int incy, T *result) {                                        \
    using namespace relayout::host::blas;                                                          \
    *result = relayout::host::blas::dot(n, numbers(x), incx, numbers(y), incy, isConjugated);      \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }
/// Complex vectors by real numbers.
#define RELAYOUT_CUBLAS_BY_REAL(P, T, R)                                                           \
  inline cublasStatus_t cublas##P##scal(cublasHandle_t, int n, const R *alpha, T *x, int incx) {   \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::scal(n, Complex<T>(*alpha), numbers(x), incx);                    \
  }                                                                                                \
  inline cublasStatus_t cublas##P##rot(cublasHandle_t, int n, T *x, int incx, T *y, int incy,      \
                                       const R *c, const R *s) {                                   \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::rot(n, numbers(x), incx, numbers(y), incy, *c, *s);               \
  }

RELAYOUT_CUBLAS_LEVEL1(S, s, float, float, S)
RELAYOUT_CUBLAS_LEVEL1(D, d, double, double, D)
RELAYOUT_CUBLAS_LEVEL1(C, c, cuComplex, float, Sc)
RELAYOUT_CUBLAS_LEVEL1(Z, z, cuDoubleComplex, double, Dz)
RELAYOUT_CUBLAS_DOT(Sdot, float, false)
RELAYOUT_CUBLAS_DOT(Ddot, double, false)
RELAYOUT_CUBLAS_DOT(Cdotu, cuComplex, false)
RELAYOUT_CUBLAS_DOT(Cdotc, cuComplex, true)
RELAYOUT_CUBLAS_DOT(Zdotu, cuDoubleComplex, false)
RELAYOUT_CUBLAS_DOT(Zdotc, cuDoubleComplex, true)
RELAYOUT_CUBLAS_BY_REAL(Cs, cuComplex, float)
RELAYOUT_CUBLAS_BY_REAL(Zd, cuDoubleComplex, double)
#undef RELAYOUT_CUBLAS_LEVEL1
#undef RELAYOUT_CUBLAS_DOT
#undef RELAYOUT_CUBLAS_BY_REAL
