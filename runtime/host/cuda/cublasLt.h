// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: cuBLASLt's handles. What computes is not there, so that a use
// does not compile.
#pragma once

#include "cublas_api.h"

#include "relayout/host/macros_aside.h"

/// A handle of cuBLAS may be cast to one of cuBLASLt.
typedef struct cublasLtContext *cublasLtHandle_t;

inline cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  return cublasCreate(reinterpret_cast<cublasHandle_t *>(handle));
}
inline cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return cublasDestroy(reinterpret_cast<cublasHandle_t>(handle));
}
inline size_t cublasLtGetVersion() { return 130000; }
inline size_t cublasLtGetCudartVersion() { return CUDART_VERSION; }
inline cublasStatus_t cublasLtGetProperty(libraryPropertyType property, int *value) {
  *value = property == MAJOR_VERSION ? 13 : 0;
  return CUBLAS_STATUS_SUCCESS;
}
inline const char *cublasLtGetStatusName(cublasStatus_t status) {
  return cublasGetStatusName(status);
}
inline const char *cublasLtGetStatusString(cublasStatus_t status) {
  return cublasGetStatusString(status);
}

#include "relayout/host/macros_back.h"
