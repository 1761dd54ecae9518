// SPDX-License-Identifier: Apache-2.0
// CPU executor's cuBLAS: types, handles and transfers.
#pragma once

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;

typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_FILL_MODE_LOWER = 0, CUBLAS_FILL_MODE_UPPER = 1 } cublasFillMode_t;
typedef enum { CUBLAS_DIAG_NON_UNIT = 0, CUBLAS_DIAG_UNIT = 1 } cublasDiagType_t;
typedef enum { CUBLAS_SIDE_LEFT = 0, CUBLAS_SIDE_RIGHT = 1 } cublasSideMode_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3
} cublasMath_t;

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointerMode = CUBLAS_POINTER_MODE_HOST; // either is memory of this process
  cublasMath_t mathMode = CUBLAS_DEFAULT_MATH;
};
typedef struct cublasContext *cublasHandle_t;

inline cublasStatus_t cublasCreate(cublasHandle_t *handle) {
  *handle = new cublasContext;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  delete handle;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetVersion(cublasHandle_t, int *version) {
  *version = 130000;
  return CUBLAS_STATUS_SUCCESS;
}

#define RELAYOUT_CUBLAS_SETTING(Name, type, member)                                                \
  inline cublasStatus_t cublasSet##Name(cublasHandle_t handle, type value) {                       \
    handle->member = value;                                                                        \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }                                                                                                \
  inline cublasStatus_t cublasGet##Name(cublasHandle_t handle, type *value) {                      \
    *value = handle->member;                                                                       \
    return CUBLAS_STATUS_SUCCESS;                                                                  \
  }
RELAYOUT_CUBLAS_SETTING(Stream, cudaStream_t, stream)
RELAYOUT_CUBLAS_SETTING(PointerMode, cublasPointerMode_t, pointerMode)
RELAYOUT_CUBLAS_SETTING(MathMode, cublasMath_t, mathMode)
#undef RELAYOUT_CUBLAS_SETTING

inline const char *cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
  case CUBLAS_STATUS_SUCCESS:
    return "CUBLAS_STATUS_SUCCESS";
  case CUBLAS_STATUS_INVALID_VALUE:
    return "CUBLAS_STATUS_INVALID_VALUE";
  case CUBLAS_STATUS_MAPPING_ERROR:
    return "CUBLAS_STATUS_MAPPING_ERROR";
  default:
    return "unknown cuBLAS status";
  }
}
inline const char *cublasGetStatusString(cublasStatus_t status) {
  return cublasGetStatusName(status);
}

namespace relayout::host::blas {

inline cublasStatus_t statusOf(cudaError_t error) {
  return error == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_MAPPING_ERROR;
}

/// Elements that lie apart are rows of one element each.
inline cublasStatus_t transfer(int count, int bytes, const void *from, int fromStride, void *to,
                               int toStride, cudaMemcpyKind kind) {
  if (count < 0 || bytes <= 0 || fromStride <= 0 || toStride <= 0)
    return CUBLAS_STATUS_INVALID_VALUE;
  const size_t size = static_cast<size_t>(bytes);
  if (fromStride == 1 && toStride == 1)
    return statusOf(cudaMemcpy(to, from, static_cast<size_t>(count) * size, kind));
  return statusOf(cudaMemcpy2D(to, static_cast<size_t>(toStride) * size, from,
                               static_cast<size_t>(fromStride) * size, size,
                               static_cast<size_t>(count), kind));
}

inline cublasStatus_t transferMatrix(int rows, int columns, int bytes, const void *from,
                                     int fromRows, void *to, int toRows, cudaMemcpyKind kind) {
  if (rows < 0 || columns < 0 || bytes <= 0 || fromRows < rows || toRows < rows)
    return CUBLAS_STATUS_INVALID_VALUE;
  const size_t size = static_cast<size_t>(bytes);
  return statusOf(cudaMemcpy2D(
      to, static_cast<size_t>(toRows) * size, from, static_cast<size_t>(fromRows) * size,
      static_cast<size_t>(rows) * size, static_cast<size_t>(columns), kind));
}

} // namespace relayout::host::blas

inline cublasStatus_t cublasSetVector(int n, int bytes, const void *x, int incx, void *y,
                                      int incy) {
  return relayout::host::blas::transfer(n, bytes, x, incx, y, incy, cudaMemcpyHostToDevice);
}
inline cublasStatus_t cublasGetVector(int n, int bytes, const void *x, int incx, void *y,
                                      int incy) {
  return relayout::host::blas::transfer(n, bytes, x, incx, y, incy, cudaMemcpyDeviceToHost);
}
inline cublasStatus_t cublasSetMatrix(int rows, int columns, int bytes, const void *a, int lda,
                                      void *b, int ldb) {
  return relayout::host::blas::transferMatrix(rows, columns, bytes, a, lda, b, ldb,
                                              cudaMemcpyHostToDevice);
}
inline cublasStatus_t cublasGetMatrix(int rows, int columns, int bytes, const void *a, int lda,
                                      void *b, int ldb) {
  return relayout::host::blas::transferMatrix(rows, columns, bytes, a, lda, b, ldb,
                                              cudaMemcpyDeviceToHost);
}
