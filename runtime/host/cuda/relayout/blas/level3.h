// SPDX-License-Identifier: Apache-2.0
// CPU executor's cuBLAS: products and solutions of matrices, stored by columns.
#pragma once

namespace relayout::host::blas {

template <class T>
cublasStatus_t gemm(cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k, T alpha,
                    const T *a, int lda, const T *b, int ldb, T beta, T *c, int ldc) {
  if (m < 0 || n < 0 || k < 0 || lda < (opA == CUBLAS_OP_N ? m : k) ||
      ldb < (opB == CUBLAS_OP_N ? k : n) || ldc < m)
    return CUBLAS_STATUS_INVALID_VALUE;
  const Matrix<T> left(a, lda, opA), right(b, ldb, opB);
  for (long column = 0; column < n; ++column) {
    T *const out = c + column * ldc;
    for (long row = 0; row < m; ++row)
      out[row] = beta == T(0) ? T(0) : beta * out[row];
    for (long inner = 0; inner < k; ++inner) {
      const T factor = alpha * right(inner, column);
      for (long row = 0; row < m; ++row)
        out[row] += left(row, inner) * factor;
    }
  }
  return CUBLAS_STATUS_SUCCESS;
}

template <class T>
cublasStatus_t geam(cublasOperation_t opA, cublasOperation_t opB, int m, int n, T alpha, const T *a,
                    int lda, T beta, const T *b, int ldb, T *c, int ldc) {
  const Matrix<T> left(a, lda, opA), right(b, ldb, opB);
  for (long column = 0; column < n; ++column)
    for (long row = 0; row < m; ++row)
      c[row + column * ldc] = (alpha == T(0) ? T(0) : alpha * left(row, column)) +
                              (beta == T(0) ? T(0) : beta * right(row, column));
  return CUBLAS_STATUS_SUCCESS;
}

/// \param isHermitian  the product is that with the conjugate transpose
template <class T>
cublasStatus_t syrk(cublasFillMode_t uplo, cublasOperation_t op, int n, int k, T alpha, const T *a,
                    int lda, T beta, T *c, int ldc, bool isHermitian) {
  const Matrix<T> matrix(a, lda, op);
  for (long column = 0; column < n; ++column)
    for (long row = uplo == CUBLAS_FILL_MODE_UPPER ? 0 : column;
         row < (uplo == CUBLAS_FILL_MODE_UPPER ? column + 1 : n); ++row) {
      T sum = 0;
      for (long inner = 0; inner < k; ++inner)
        sum += matrix(row, inner) *
               (isHermitian ? conjugate(matrix(column, inner)) : matrix(column, inner));
      T &out = c[row + column * ldc];
      out = beta == T(0) ? alpha * sum : alpha * sum + beta * out;
      if (isHermitian && row == column)
        out = realPart(out);
    }
  return CUBLAS_STATUS_SUCCESS;
}

/// op(A) X = alpha B or X op(A) = alpha B, column by column or row by row; B becomes X.
template <class T>
cublasStatus_t trsm(cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,
                    cublasDiagType_t diag, int m, int n, T alpha, const T *a, int lda, T *b,
                    int ldb) {
  for (long column = 0; column < n; ++column)
    for (long row = 0; row < m; ++row)
      b[row + column * ldb] *= alpha;
  const Matrix<T> matrix(a, lda, op);
  if (side == CUBLAS_SIDE_LEFT) {
    for (long column = 0; column < n; ++column)
      trsv(uplo, diag, m, matrix, Vector<T>(b + column * ldb, m, 1));
  } else { // the transposed system
    for (long row = 0; row < m; ++row)
      trsv(uplo, diag, n, matrix.transposed(), Vector<T>(b + row, n, ldb));
  }
  return CUBLAS_STATUS_SUCCESS;
}

} // namespace relayout::host::blas

#define RELAYOUT_CUBLAS_LEVEL3(P, T)                                                               \
  inline cublasStatus_t cublas##P##gemm(                                                           \
      cublasHandle_t, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k,           \
      const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc) {    \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::gemm(opA, opB, m, n, k, *numbers(alpha), numbers(a), lda,         \
                                      numbers(b), ldb, *numbers(beta), numbers(c), ldc);           \
  }                                                                                                \
  inline cublasStatus_t cublas##P##gemmStridedBatched(                                             \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k,    \
      const T *alpha, const T *a, int lda, long long strideA, const T *b, int ldb,                 \
      long long strideB, const T *beta, T *c, int ldc, long long strideC, int count) {             \
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;                                                 \
    for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i)                             \
      status = cublas##P##gemm(handle, opA, opB, m, n, k, alpha, a + i * strideA, lda,             \
                               b + i * strideB, ldb, beta, c + i * strideC, ldc);                  \
    return status;                                                                                 \
  }                                                                                                \
  inline cublasStatus_t cublas##P##gemmBatched(                                                    \
      cublasHandle_t handle, cublasOperation_t opA, cublasOperation_t opB, int m, int n, int k,    \
      const T *alpha, const T *const a[], int lda, const T *const b[], int ldb, const T *beta,     \
      T *const c[], int ldc, int count) {                                                          \
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;                                                 \
    for (int i = 0; i < count && status == CUBLAS_STATUS_SUCCESS; ++i)                             \
      status = cublas##P##gemm(handle, opA, opB, m, n, k, alpha, a[i], lda, b[i], ldb, beta, c[i], \
                               ldc);                                                               \
    return status;                                                                                 \
  }                                                                                                \
  inline cublasStatus_t cublas##P##geam(                                                           \
      cublasHandle_t, cublasOperation_t opA, cublasOperation_t opB, int m, int n, const T *alpha,  \
      const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc) {                    \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::geam(opA, opB, m, n, *numbers(alpha), numbers(a), lda,            \
                                      *numbers(beta), numbers(b), ldb, numbers(c), ldc);           \
  }                                                                                                \
  inline cublasStatus_t cublas##P##syrk(cublasHandle_t, cublasFillMode_t uplo,                     \
                                        cublasOperation_t op, int n, int k, const T *alpha,        \
                                        const T *a, int lda, const T *beta, T *c, int ldc) {       \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::syrk(uplo, op, n, k, *numbers(alpha), numbers(a), lda,            \
                                      *numbers(beta), numbers(c), ldc, false);                     \
  }                                                                                                \
  inline cublasStatus_t cublas##P##trsm(                                                           \
      cublasHandle_t, cublasSideMode_t side, cublasFillMode_t uplo, cublasOperation_t op,          \
      cublasDiagType_t diag, int m, int n, const T *alpha, const T *a, int lda, T *b, int ldb) {   \
    using namespace relayout::host::blas;                                                          \
    return relayout::host::blas::trsm(side, uplo, op, diag, m, n, *numbers(alpha), numbers(a),     \
                                      lda, numbers(b), ldb);                                       \
  }
/// \param R  type of the real numbers
#define RELAYOUT_CUBLAS_HERK(P, T, R)                                                              \
  inline cublasStatus_t cublas##P##herk(cublasHandle_t, cublasFillMode_t uplo,                     \
                                        cublasOperation_t op, int n, int k, const R *alpha,        \
                                        const T *a, int lda, const R *beta, T *c, int ldc) {       \
    using namespace relayout::host::blas;                                                          \
    return syrk(uplo, op, n, k, Complex<T>(*alpha), numbers(a), lda, Complex<T>(*beta),            \
                numbers(c), ldc, true);                                                            \
  }

RELAYOUT_CUBLAS_LEVEL3(S, float)
RELAYOUT_CUBLAS_LEVEL3(D, double)
RELAYOUT_CUBLAS_LEVEL3(C, cuComplex)
RELAYOUT_CUBLAS_LEVEL3(Z, cuDoubleComplex)
RELAYOUT_CUBLAS_HERK(C, cuComplex, float)
RELAYOUT_CUBLAS_HERK(Z, cuDoubleComplex, double)
#undef RELAYOUT_CUBLAS_LEVEL3
#undef RELAYOUT_CUBLAS_HERK
