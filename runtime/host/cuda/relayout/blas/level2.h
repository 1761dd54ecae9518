// SPDX-License-Identifier: Apache-2.0
// CPU executor's cuBLAS: matrices, stored by columns, and vectors.
#pragma once

namespace relayout::host::blas {

/// A matrix by columns, or its transpose.
template <class T> struct Matrix {
  T *first;
  long rows; ///< from one column to the next
  bool isTransposed = false;

  T &operator()(long row, long column) const {
    return isTransposed ? first[column + row * rows] : first[row + column * rows];
  }
};

template <class T>
cublasStatus_t gemv(cublasOperation_t op, int m, int n, T alpha, const T *a, int lda, const T *x,
                    int incx, T beta, T *y, int incy) {
  if (m < 0 || n < 0 || lda < m || incx == 0 || incy == 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  const int outputs = op == CUBLAS_OP_N ? m : n, inputs = op == CUBLAS_OP_N ? n : m;
  const Matrix<const T> matrix{a, lda, op != CUBLAS_OP_N};
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

/// Element (i, k) of a symmetric matrix of which one triangle is stored.
template <class T> T symmetric(cublasFillMode_t uplo, const T *a, int lda, long i, long k) {
  const bool isStored = uplo == CUBLAS_FILL_MODE_UPPER ? i <= k : i >= k;
  return isStored ? a[i + k * lda] : a[k + i * lda];
}

template <class T>
cublasStatus_t symv(cublasFillMode_t uplo, int n, T alpha, const T *a, int lda, const T *x,
                    int incx, T beta, T *y, int incy) {
  const Vector<const T> in(x, n, incx);
  const Vector<T> out(y, n, incy);
  for (int i = 0; i < n; ++i) {
    T sum = 0;
    for (int k = 0; k < n; ++k)
      sum += symmetric(uplo, a, lda, i, k) * in[k];
    out[i] = beta == T(0) ? alpha * sum : alpha * sum + beta * out[i];
  }
  return CUBLAS_STATUS_SUCCESS;
}

/// Solves op(A) x = b for a triangular A; x holds b before.
template <class T>
void trsv(cublasFillMode_t uplo, cublasOperation_t op, cublasDiagType_t diag, int n, const T *a,
          int lda, const Vector<T> &x) {
  const Matrix<const T> matrix{a, lda, op != CUBLAS_OP_N};
  const bool isLower = (uplo == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N);
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
    return relayout::host::blas::gemv(op, m, n, *alpha, a, lda, x, incx, *beta, y, incy);          \
  }                                                                                                \
  inline cublasStatus_t cublas##P##ger(cublasHandle_t, int m, int n, const T *alpha, const T *x,   \
                                       int incx, const T *y, int incy, T *a, int lda) {            \
    const relayout::host::blas::Vector<const T> rows(x, m, incx), columns(y, n, incy);             \
    for (long k = 0; k < n; ++k)                                                                   \
      for (long i = 0; i < m; ++i)                                                                 \
        a[i + k * lda] += *alpha * rows[i] * columns[k];                                           \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublas##P##symv(cublasHandle_t, cublasFillMode_t uplo, int n,              \
                                        const T *alpha, const T *a, int lda, const T *x, int incx, \
                                        const T *beta, T *y, int incy) {                           \
    return relayout::host::blas::symv(uplo, n, *alpha, a, lda, x, incx, *beta, y, incy);           \
  }                                                                                                \
  inline cublasStatus_t cublas##P##trsv(cublasHandle_t, cublasFillMode_t uplo,                     \
                                        cublasOperation_t op, cublasDiagType_t diag, int n,        \
                                        const T *a, int lda, T *x, int incx) {                     \
    relayout::host::blas::trsv(uplo, op, diag, n, a, lda,                                          \
                               relayout::host::blas::Vector<T>(x, n, incx));                       \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }

RELAYOUT_CUBLAS_LEVEL2(S, float)
RELAYOUT_CUBLAS_LEVEL2(D, double)
#undef RELAYOUT_CUBLAS_LEVEL2
