// SPDX-License-Identifier: Apache-2.0
// CPU executor's cuSPARSE: handles, and descriptors of matrices and vectors in device memory.
#pragma once

typedef enum {
  CUSPARSE_STATUS_SUCCESS = 0,
  CUSPARSE_STATUS_NOT_INITIALIZED = 1,
  CUSPARSE_STATUS_ALLOC_FAILED = 2,
  CUSPARSE_STATUS_INVALID_VALUE = 3,
  CUSPARSE_STATUS_ARCH_MISMATCH = 4,
  CUSPARSE_STATUS_MAPPING_ERROR = 5,
  CUSPARSE_STATUS_EXECUTION_FAILED = 6,
  CUSPARSE_STATUS_INTERNAL_ERROR = 7,
  CUSPARSE_STATUS_MATRIX_TYPE_NOT_SUPPORTED = 8,
  CUSPARSE_STATUS_ZERO_PIVOT = 9,
  CUSPARSE_STATUS_NOT_SUPPORTED = 10,
  CUSPARSE_STATUS_INSUFFICIENT_RESOURCES = 11
} cusparseStatus_t;

typedef enum { CUSPARSE_POINTER_MODE_HOST, CUSPARSE_POINTER_MODE_DEVICE } cusparsePointerMode_t;
typedef enum { CUSPARSE_FILL_MODE_LOWER, CUSPARSE_FILL_MODE_UPPER } cusparseFillMode_t;
typedef enum { CUSPARSE_DIAG_TYPE_NON_UNIT, CUSPARSE_DIAG_TYPE_UNIT } cusparseDiagType_t;
typedef enum { CUSPARSE_INDEX_BASE_ZERO, CUSPARSE_INDEX_BASE_ONE } cusparseIndexBase_t;
typedef enum {
  CUSPARSE_OPERATION_NON_TRANSPOSE,
  CUSPARSE_OPERATION_TRANSPOSE,
  CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE
} cusparseOperation_t;
typedef enum {
  CUSPARSE_FORMAT_CSR = 1,
  CUSPARSE_FORMAT_CSC = 2,
  CUSPARSE_FORMAT_COO = 3
} cusparseFormat_t;
typedef enum { CUSPARSE_ORDER_COL = 1, CUSPARSE_ORDER_ROW = 2 } cusparseOrder_t;
typedef enum { CUSPARSE_INDEX_32I = 2, CUSPARSE_INDEX_64I = 3 } cusparseIndexType_t;
typedef enum { CUSPARSE_SPMAT_FILL_MODE, CUSPARSE_SPMAT_DIAG_TYPE } cusparseSpMatAttribute_t;
typedef enum {
  CUSPARSE_SPMV_ALG_DEFAULT = 0,
  CUSPARSE_SPMV_COO_ALG1 = 1,
  CUSPARSE_SPMV_CSR_ALG1 = 2,
  CUSPARSE_SPMV_CSR_ALG2 = 3,
  CUSPARSE_SPMV_COO_ALG2 = 4
} cusparseSpMVAlg_t;
typedef enum {
  CUSPARSE_SPMM_ALG_DEFAULT = 0,
  CUSPARSE_SPMM_COO_ALG1 = 1,
  CUSPARSE_SPMM_COO_ALG2 = 2,
  CUSPARSE_SPMM_COO_ALG3 = 3,
  CUSPARSE_SPMM_CSR_ALG1 = 4,
  CUSPARSE_SPMM_COO_ALG4 = 5,
  CUSPARSE_SPMM_CSR_ALG2 = 6,
  CUSPARSE_SPMM_CSR_ALG3 = 12
} cusparseSpMMAlg_t;
typedef enum {
  CUSPARSE_SPGEMM_DEFAULT = 0,
  CUSPARSE_SPGEMM_CSR_ALG_DETERMINITIC = 1,
  CUSPARSE_SPGEMM_CSR_ALG_NONDETERMINITIC = 2,
  CUSPARSE_SPGEMM_ALG1 = 3,
  CUSPARSE_SPGEMM_ALG2 = 4,
  CUSPARSE_SPGEMM_ALG3 = 5
} cusparseSpGEMMAlg_t;
typedef enum { CUSPARSE_SPSV_ALG_DEFAULT } cusparseSpSVAlg_t;
typedef enum { CUSPARSE_SPARSETODENSE_ALG_DEFAULT } cusparseSparseToDenseAlg_t;

struct cusparseContext {
  cudaStream_t stream = nullptr;
  cusparsePointerMode_t pointerMode =
      CUSPARSE_POINTER_MODE_HOST; // either is memory of this process
};
struct cusparseSpMatDescr {
  cusparseFormat_t format;
  int64_t rows, columns, entries;
  void *offsets; ///< of rows or columns; COO: the row of each entry
  void *indices; ///< of columns or rows
  void *values;
  cusparseIndexType_t offsetType, indexType;
  cusparseIndexBase_t base;
  cudaDataType type;
  cusparseFillMode_t fill = CUSPARSE_FILL_MODE_LOWER;
  cusparseDiagType_t diagonal = CUSPARSE_DIAG_TYPE_NON_UNIT;
};
struct cusparseDnVecDescr {
  int64_t size;
  void *values;
  cudaDataType type;
};
struct cusparseDnMatDescr {
  int64_t rows, columns, step; ///< between columns, or rows in row order
  void *values;
  cudaDataType type;
  cusparseOrder_t order;
};
typedef struct cusparseContext *cusparseHandle_t;
typedef struct cusparseSpMatDescr *cusparseSpMatDescr_t;
typedef struct cusparseDnVecDescr *cusparseDnVecDescr_t;
typedef struct cusparseDnMatDescr *cusparseDnMatDescr_t;
typedef const struct cusparseSpMatDescr *cusparseConstSpMatDescr_t;
typedef const struct cusparseDnVecDescr *cusparseConstDnVecDescr_t;
typedef const struct cusparseDnMatDescr *cusparseConstDnMatDescr_t;

inline cusparseStatus_t cusparseCreate(cusparseHandle_t *handle) {
  *handle = new cusparseContext;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroy(cusparseHandle_t handle) {
  delete handle;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseGetVersion(cusparseHandle_t, int *version) {
  *version = 12600;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSetStream(cusparseHandle_t handle, cudaStream_t stream) {
  handle->stream = stream;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSetPointerMode(cusparseHandle_t handle,
                                               cusparsePointerMode_t mode) {
  handle->pointerMode = mode;
  return CUSPARSE_STATUS_SUCCESS;
}

inline const char *cusparseGetErrorName(cusparseStatus_t status) {
  switch (status) {
  case CUSPARSE_STATUS_SUCCESS:
    return "CUSPARSE_STATUS_SUCCESS";
  case CUSPARSE_STATUS_INVALID_VALUE:
    return "CUSPARSE_STATUS_INVALID_VALUE";
  case CUSPARSE_STATUS_NOT_SUPPORTED:
    return "CUSPARSE_STATUS_NOT_SUPPORTED";
  default:
    return "unknown cuSPARSE status";
  }
}
inline const char *cusparseGetErrorString(cusparseStatus_t status) {
  return cusparseGetErrorName(status);
}

namespace relayout::host::sparse {

inline cusparseStatus_t describe(cusparseSpMatDescr_t *matrix, const cusparseSpMatDescr &as) {
  if (as.rows < 0 || as.columns < 0 || as.entries < 0)
    return CUSPARSE_STATUS_INVALID_VALUE;
  if (as.type != CUDA_R_32F && as.type != CUDA_R_64F)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  *matrix = new cusparseSpMatDescr(as);
  return CUSPARSE_STATUS_SUCCESS;
}

} // namespace relayout::host::sparse

inline cusparseStatus_t cusparseCreateCsr(cusparseSpMatDescr_t *matrix, int64_t rows,
                                          int64_t columns, int64_t entries, void *rowOffsets,
                                          void *columnIndices, void *values,
                                          cusparseIndexType_t offsetType,
                                          cusparseIndexType_t indexType, cusparseIndexBase_t base,
                                          cudaDataType type) {
  return relayout::host::sparse::describe(matrix, {CUSPARSE_FORMAT_CSR, rows, columns, entries,
                                                   rowOffsets, columnIndices, values, offsetType,
                                                   indexType, base, type});
}
inline cusparseStatus_t cusparseCreateCsc(cusparseSpMatDescr_t *matrix, int64_t rows,
                                          int64_t columns, int64_t entries, void *columnOffsets,
                                          void *rowIndices, void *values,
                                          cusparseIndexType_t offsetType,
                                          cusparseIndexType_t indexType, cusparseIndexBase_t base,
                                          cudaDataType type) {
  return relayout::host::sparse::describe(matrix, {CUSPARSE_FORMAT_CSC, rows, columns, entries,
                                                   columnOffsets, rowIndices, values, offsetType,
                                                   indexType, base, type});
}
inline cusparseStatus_t cusparseCreateCoo(cusparseSpMatDescr_t *matrix, int64_t rows,
                                          int64_t columns, int64_t entries, void *rowIndices,
                                          void *columnIndices, void *values,
                                          cusparseIndexType_t indexType, cusparseIndexBase_t base,
                                          cudaDataType type) {
  return relayout::host::sparse::describe(matrix, {CUSPARSE_FORMAT_COO, rows, columns, entries,
                                                   rowIndices, columnIndices, values, indexType,
                                                   indexType, base, type});
}
inline cusparseStatus_t cusparseDestroySpMat(cusparseConstSpMatDescr_t matrix) {
  delete matrix;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMatGetSize(cusparseConstSpMatDescr_t matrix, int64_t *rows,
                                             int64_t *columns, int64_t *entries) {
  *rows = matrix->rows;
  *columns = matrix->columns;
  *entries = matrix->entries;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCsrSetPointers(cusparseSpMatDescr_t matrix, void *rowOffsets,
                                               void *columnIndices, void *values) {
  matrix->offsets = rowOffsets;
  matrix->indices = columnIndices;
  matrix->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMatSetAttribute(cusparseSpMatDescr_t matrix,
                                                  cusparseSpMatAttribute_t attribute, void *value,
                                                  size_t) {
  if (attribute == CUSPARSE_SPMAT_FILL_MODE)
    matrix->fill = *static_cast<cusparseFillMode_t *>(value);
  else
    matrix->diagonal = *static_cast<cusparseDiagType_t *>(value);
  return CUSPARSE_STATUS_SUCCESS;
}

inline cusparseStatus_t cusparseCreateDnVec(cusparseDnVecDescr_t *vector, int64_t size,
                                            void *values, cudaDataType type) {
  *vector = new cusparseDnVecDescr{size, values, type};
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroyDnVec(cusparseConstDnVecDescr_t vector) {
  delete vector;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDnVecSetValues(cusparseDnVecDescr_t vector, void *values) {
  vector->values = values;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseCreateDnMat(cusparseDnMatDescr_t *matrix, int64_t rows,
                                            int64_t columns, int64_t step, void *values,
                                            cudaDataType type, cusparseOrder_t order) {
  if (step < (order == CUSPARSE_ORDER_ROW ? columns : rows))
    return CUSPARSE_STATUS_INVALID_VALUE;
  *matrix = new cusparseDnMatDescr{rows, columns, step, values, type, order};
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseDestroyDnMat(cusparseConstDnMatDescr_t matrix) {
  delete matrix;
  return CUSPARSE_STATUS_SUCCESS;
}
