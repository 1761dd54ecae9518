// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cuBLAS's first interface, without handles. The last call's
// status is kept, and cublasGetError() hands it over.
#pragma once
#define CUBLAS_H_

#include "relayout/host/macros_aside.h"

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

/// \param R  type of the real numbers
/// \param N  what names of functions with real results begin with
#define RELAYOUT_LEGACY_CUBLAS(P, p, T, R, N)                                                      \
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
  inline R cublas##N##nrm2(int n, const T *x, int incx) {                                          \
    using namespace relayout::host::blas;                                                          \
    R result = 0;                                                                                  \
    Legacy::keep(cublas##N##nrm2(&Legacy::instance().context, n, x, incx, &result));               \
    return result;                                                                                 \
  }                                                                                                \
  inline R cublas##N##asum(int n, const T *x, int incx) {                                          \
    using namespace relayout::host::blas;                                                          \
    R result = 0;                                                                                  \
    Legacy::keep(cublas##N##asum(&Legacy::instance().context, n, x, incx, &result));               \
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
#define RELAYOUT_LEGACY_DOT(name, T)                                                               \
  inline T cublas##name(int n, const T *x, int incx, const T *y, int incy) {                       \
    using namespace relayout::host::blas;                                                          \
    T result{};                                                                                    \
    Legacy::keep(cublas##name(&Legacy::instance().context, n, x, incx, y, incy, &result));         \
    return result;                                                                                 \
  }
#define RELAYOUT_LEGACY_GER(name, T)                                                               \
  inline void cublas##name(int m, int n, T alpha, const T *x, int incx, const T *y, int incy,      \
                           T *a, int lda) {                                                        \
    using namespace relayout::host::blas;                                                          \
    Legacy::keep(                                                                                  \
        cublas##name(&Legacy::instance().context, m, n, &alpha, x, incx, y, incy, a, lda));        \
  }

RELAYOUT_LEGACY_CUBLAS(S, s, float, float, S)
RELAYOUT_LEGACY_CUBLAS(D, d, double, double, D)
RELAYOUT_LEGACY_CUBLAS(C, c, cuComplex, float, Sc)
RELAYOUT_LEGACY_CUBLAS(Z, z, cuDoubleComplex, double, Dz)
RELAYOUT_LEGACY_DOT(Sdot, float)
RELAYOUT_LEGACY_DOT(Ddot, double)
RELAYOUT_LEGACY_DOT(Cdotu, cuComplex)
RELAYOUT_LEGACY_DOT(Cdotc, cuComplex)
RELAYOUT_LEGACY_DOT(Zdotu, cuDoubleComplex)
RELAYOUT_LEGACY_DOT(Zdotc, cuDoubleComplex)
RELAYOUT_LEGACY_GER(Sger, float)
RELAYOUT_LEGACY_GER(Dger, double)
RELAYOUT_LEGACY_GER(Cgeru, cuComplex)
RELAYOUT_LEGACY_GER(Cgerc, cuComplex)
RELAYOUT_LEGACY_GER(Zgeru, cuDoubleComplex)
RELAYOUT_LEGACY_GER(Zgerc, cuDoubleComplex)
#undef RELAYOUT_LEGACY_CUBLAS
#undef RELAYOUT_LEGACY_DOT
#undef RELAYOUT_LEGACY_GER

#include "relayout/host/macros_back.h"
