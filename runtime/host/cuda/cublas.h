// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cuBLAS's first interface, without handles. The last call's
// status is kept, and cublasGetError() hands it over.
#pragma once
#define CUBLAS_H_

#include "cublas_api.h"

#define cublasStatus cublasStatus_t

namespace relayout::host::blas {

struct Legacy {
  cublasContext context;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

  static Legacy &instance() {
    static Legacy only;
    return only;
  }
  static cublasStatus_t keep(cublasStatus_t status) { return instance().status = status; }
};

constexpr cublasOperation_t operationOf(char letter) {
  return letter == 'n' || letter == 'N'   ? CUBLAS_OP_N
         : letter == 't' || letter == 'T' ? CUBLAS_OP_T
                                          : CUBLAS_OP_C;
}
constexpr cublasFillMode_t fillOf(char letter) {
  return letter == 'u' || letter == 'U' ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}
constexpr cublasSideMode_t sideOf(char letter) {
  return letter == 'r' || letter == 'R' ? CUBLAS_SIDE_RIGHT : CUBLAS_SIDE_LEFT;
}
constexpr cublasDiagType_t diagonalOf(char letter) {
  return letter == 'u' || letter == 'U' ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}

} // namespace relayout::host::blas

inline cublasStatus_t cublasInit() {
  return relayout::host::blas::Legacy::keep(CUBLAS_STATUS_SUCCESS);
}
inline cublasStatus_t cublasShutdown() { return CUBLAS_STATUS_SUCCESS; }
inline cublasStatus_t cublasGetError() {
  return std::exchange(relayout::host::blas::Legacy::instance().status, CUBLAS_STATUS_SUCCESS);
}
inline cublasStatus_t cublasSetKernelStream(cudaStream_t stream) {
  return cublasSetStream(&relayout::host::blas::Legacy::instance().context, stream);
}
inline cublasStatus_t cublasAlloc(int n, int bytes, void **pointer) {
  if (n <= 0 || bytes <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  return cudaMalloc(pointer, static_cast<size_t>(n) * static_cast<size_t>(bytes)) == cudaSuccess
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_ALLOC_FAILED;
}
inline cublasStatus_t cublasFree(void *pointer) {
  return relayout::host::blas::statusOf(cudaFree(pointer));
}

#define RELAYOUT_LEGACY_CUBLAS(P, p, T)                                                            \
  inline void cublas##P##copy(int n, const T *x, int incx, T *y, int incy) {                       \
    using namespace relayout::host::blas;                                                          \
    Legacy::keep(cublas##P##copy(&Legacy::instance().context, n, x, incx, y, incy));               \
  }                                                                                                \
  inline void cublas##P##swap(int n, T *x, int incx, T *y, int incy) {                             \
    using namespace relayout::host::blas;                                                          \
    Legacy::keep(cublas##P##swap(&Legacy::instance().context, n, x, incx, y, incy));               \
  }                                                                                                \
  inline void cublas##P##scal(int n, T alpha, T *x, int incx) {                                    \
    using namespace relayout::host::blas;                                                          \
    Legacy::keep(cublas##P##scal(&Legacy::instance().context, n, &alpha, x, incx));                \
  }                                                                                                \
  inline void cublas##P##axpy(int n, T alpha, const T *x, int incx, T *y, int incy) {              \
    using namespace relayout::host::blas;                                                          \
    Legacy::keep(cublas##P##axpy(&Legacy::instance().context, n, &alpha, x, incx, y, incy));       \
  }                                                                                                \
  inline T cublas##P##dot(int n, const T *x, int incx, const T *y, int incy) {                     \
    using namespace relayout::host::blas;                                                          \
    T result = 0;                                                                                  \
    Legacy::keep(cublas##P##dot(&Legacy::instance().context, n, x, incx, y, incy, &result));       \
    return result;                                                                                 \
  }                                                                                                \
  inline T cublas##P##nrm2(int n, const T *x, int incx) {                                          \
    using namespace relayout::host::blas;                                                          \
    T result = 0;                                                                                  \
    Legacy::keep(cublas##P##nrm2(&Legacy::instance().context, n, x, incx, &result));               \
    return result;                                                                                 \
  }                                                                                                \
  inline T cublas##P##asum(int n, const T *x, int incx) {                                          \
    using namespace relayout::host::blas;                                                          \
    T result = 0;                                                                                  \
    Legacy::keep(cublas##P##asum(&Legacy::instance().context, n, x, incx, &result));               \
    return result;                                                                                 \
  }                                                                                                \
  inline int cublasI##p##amax(int n, const T *x, int incx) {                                       \
    using namespace relayout::host::blas;                                                          \
    int result = 0;                                                                                \
    Legacy::keep(cublasI##p##amax(&Legacy::instance().context, n, x, incx, &result));              \
    return result;                                                                                 \
  }                                                                                                \
  inline int cublasI##p##amin(int n, const T *x, int incx) {                                       \
    using namespace relayout::host::blas;                                                          \
    int result = 0;                                                                                \
    Legacy::keep(cublasI##p##amin(&Legacy::instance().context, n, x, incx, &result));              \
    return result;                                                                                 \
  }                                                                                                \
  inline void cublas##P##gemv(char op, int m, int n, T alpha, const T *a, int lda, const T *x,     \
                              int incx, T beta, T *y, int incy) {                                  \
    using namespace relayout::host::blas;                                                          \
    Legacy::keep(cublas##P##gemv(&Legacy::instance().context, operationOf(op), m, n, &alpha, a,    \
                                 lda, x, incx, &beta, y, incy));                                   \
  }                                                                                                \
  inline void cublas##P##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy,    \
                             T *a, int lda) {                                                      \
    using namespace relayout::host::blas;                                                          \
    Legacy::keep(                                                                                  \
        cublas##P##ger(&Legacy::instance().context, m, n, &alpha, x, incx, y, incy, a, lda));      \
  }                                                                                                \
  inline void cublas##P##gemm(char opA, char opB, int m, int n, int k, T alpha, const T *a,        \
                              int lda, const T *b, int ldb, T beta, T *c, int ldc) {               \
    using namespace relayout::host::blas;                                                          \
    Legacy::keep(cublas##P##gemm(&Legacy::instance().context, operationOf(opA), operationOf(opB),  \
                                 m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc));                 \
  }                                                                                                \
  inline void cublas##P##syrk(char uplo, char op, int n, int k, T alpha, const T *a, int lda,      \
                              T beta, T *c, int ldc) {                                             \
    using namespace relayout::host::blas;                                                          \
    Legacy::keep(cublas##P##syrk(&Legacy::instance().context, fillOf(uplo), operationOf(op), n, k, \
                                 &alpha, a, lda, &beta, c, ldc));                                  \
  }                                                                                                \
  inline void cublas##P##trsm(char side, char uplo, char op, char diag, int m, int n, T alpha,     \
                              const T *a, int lda, T *b, int ldb) {                                \
    using namespace relayout::host::blas;                                                          \
    Legacy::keep(cublas##P##trsm(&Legacy::instance().context, sideOf(side), fillOf(uplo),          \
                                 operationOf(op), diagonalOf(diag), m, n, &alpha, a, lda, b,       \
                                 ldb));                                                            \
  }

RELAYOUT_LEGACY_CUBLAS(S, s, float)
RELAYOUT_LEGACY_CUBLAS(D, d, double)
#undef RELAYOUT_LEGACY_CUBLAS
