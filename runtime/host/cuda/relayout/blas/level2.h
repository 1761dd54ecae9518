// SPDX-License-Identifier: Apache-2.0
// CPU executor's cuBLAS: matrices, stored by columns, and vectors.
#pragma once

namespace relayout::host::blas {

/// A matrix by columns, or what an operation makes of it.
template <class T> struct Matrix {
  const T *first;
  long rows; ///< from one column to the next
  bool isTransposed = false;
  bool isConjugated = false;

  Matrix(const T *a, int lda, cublasOperation_t op)
      : first(a), rows(lda), isTransposed(op != CUBLAS_OP_N), isConjugated(op == CUBLAS_OP_C) {}

  T operator()(long row, long column) const {
    const T stored = isTransposed ? first[column + row * rows] : first[row + column * rows];
    return isConjugated ? conjugate(stored) : stored;
  }
  Matrix transposed() const {
    Matrix other = *this;
    other.isTransposed = !isTransposed;
    return other;
  }
};

template <class T>
cublasStatus_t gemv(cublasOperation_t op, int m, int n, T alpha, const T *a, int lda, const T *x,
                    int incx, T beta, T *y, int incy) {
  if (m < 0 || n < 0 || lda < m || incx == 0 || incy == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  const int outputs = op == CUBLAS_OP_N ? m : n, inputs = op == CUBLAS_OP_N ? n : m;
  const Matrix<T> matrix(a, lda, op);
  const Vector<const T> in(x, inputs, incx);
  const Vector<T> out(y, outputs, incy);
  for (int i = 0; i < outputs; ++i) {
    T sum = 0;
    for (int k = 0; k < inputs; ++k)
      sum += matrix(i, k) * in[k];
    out[i] = beta == T(0) ? alpha * sum : alpha * sum + beta * out[i];
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, T *a, int lda,
                   bool isConjugated) {
  const Vector<const T> rows(x, m, incx), columns(y, n, incy);
  for (long k = 0; k < n; ++k)
    for (long i = 0; i < m; ++i)
      a[i + k * lda] += alpha * rows[i] * (isConjugated ? conjugate(columns[k]) : columns[k]);
  return CUBLAS_STATUS_SUCCESS;
}

/// Element (i, k) of a symmetric or Hermitian matrix of which one triangle is stored.
template <class T>
T symmetric(cublasFillMode_t uplo, const T *a, int lda, long i, long k, bool isHermitian) {
  const bool isStored = uplo == CUBLAS_FILL_MODE_UPPER ? i <= k : i >= k;
  if (!isHermitian)
    return isStored ? a[i + k * lda] : a[k + i * lda];
  return i == k     ? T(realPart(a[i + k * lda]))
         : isStored ? a[i + k * lda]
                    : conjugate(a[k + i * lda]);
}

template <class T>
cublasStatus_t symv(cublasFillMode_t uplo, int n, T alpha, const T *a, int lda, const T *x,
                    int incx, T beta, T *y, int incy, bool isHermitian) {
  const Vector<const T> in(x, n, incx);
  const Vector<T> out(y, n, incy);
  for (int i = 0; i < n; ++i) {
    T sum = 0;
    for (int k = 0; k < n; ++k)
      sum += symmetric(uplo, a, lda, i, k, isHermitian) * in[k];
    out[i] = beta == T(0) ? alpha * sum : alpha * sum + beta * out[i];
  }
  return CUBLAS_STATUS_SUCCESS;
}

/// Solves A x = b for a triangular A; x holds b before.
/// \param uplo  the triangle that is stored, of the matrix before its operation
template <class T>
void trsv(cublasFillMode_t uplo, cublasDiagType_t diag, int n, const Matrix<T> &matrix,
          const Vector<T> &x) {
  const bool isLower = (uplo == CUBLAS_FILL_MODE_LOWER) != matrix.isTransposed;
  for (int step = 0; step < n; ++step) {
    const int i = isLower ? step : n - 1 - step;
    T sum = x[i];
    for (int k = isLower ? 0 : i + 1; k < (isLower ? i : n); ++k)
      sum -= matrix(i, k) * x[k];
    x[i] = diag == CUBLAS_DIAG_UNIT ? sum : sum / matrix(i, i);
  }
}

} // namespace relayout::host::blas

#define RELAYOUT_CUBLAS_LEVEL2(P, T)                                                               \
  inline cublasStatus_t cublas##P##gemv(cublasHandle_t, cublasOperation_t op, int m, int n,        \
                                        const T *alpha, const T *a, int lda, const T *x, int incx, \
                                        const T *beta, T *y, int incy) {                           \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::gemv(op, m, n, *numbers(alpha), numbers(a), lda, numbers(x),      \
                                      incx, *numbers(beta), numbers(y), incy);                     \
  }                                                                                                \
  inline cublasStatus_t cublas##P##trsv(cublasHandle_t, cublasFillMode_t uplo,                     \
                                        cublasOperation_t op, cublasDiagType_t diag, int n,        \
                                        const T *a, int lda, T *x, int incx) {                     \
    using namespace relayout::host::blas;                                                          \
    relayout::host::blas::trsv(uplo, diag, n, Matrix(numbers(a), lda, op),                         \
                               Vector(numbers(x), n, incx));                                       \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }
#define RELAYOUT_CUBLAS_GER(name, T, isConjugated)                                                 \
  inline cublasStatus_t cublas##name(cublasHandle_t, int m, int n, const T *alpha, const T *x,     \
                                     int incx, const T *y, int incy, T *a, int lda) {              \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::ger(m, n, *numbers(alpha), numbers(x), incx, numbers(y), incy,    \
                                     numbers(a), lda, isConjugated);                               \
  }
#define RELAYOUT_CUBLAS_SYMV(name, T, isHermitian)                                                 \
  inline cublasStatus_t cublas##name(cublasHandle_t, cublasFillMode_t uplo, int n, const T *alpha, \
                                     const T *a, int lda, const T *x, int incx, const T *beta,     \
                                     T *y, int incy) {                                             \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::symv(uplo, n, *numbers(alpha), numbers(a), lda, numbers(x), incx, \
                                      *numbers(beta), numbers(y), incy, isHermitian);              \
  }

RELAYOUT_CUBLAS_LEVEL2(S, float)
RELAYOUT_CUBLAS_LEVEL2(D, double)
RELAYOUT_CUBLAS_LEVEL2(C, cuComplex)
RELAYOUT_CUBLAS_LEVEL2(Z, cuDoubleComplex)
RELAYOUT_CUBLAS_GER(Sger, float, false)
RELAYOUT_CUBLAS_GER(Dger, double, false)
RELAYOUT_CUBLAS_GER(Cgeru, cuComplex, false)
RELAYOUT_CUBLAS_GER(Cgerc, cuComplex, true)
RELAYOUT_CUBLAS_GER(Zgeru, cuDoubleComplex, false)
RELAYOUT_CUBLAS_GER(Zgerc, cuDoubleComplex, true)
RELAYOUT_CUBLAS_SYMV(Ssymv, float, false)
RELAYOUT_CUBLAS_SYMV(Dsymv, double, false)
RELAYOUT_CUBLAS_SYMV(Csymv, cuComplex, false)
RELAYOUT_CUBLAS_SYMV(Zsymv, cuDoubleComplex, false)
RELAYOUT_CUBLAS_SYMV(Chemv, cuComplex, true)
RELAYOUT_CUBLAS_SYMV(Zhemv, cuDoubleComplex, true)
#undef RELAYOUT_CUBLAS_LEVEL2
#undef RELAYOUT_CUBLAS_GER
#undef RELAYOUT_CUBLAS_SYMV
