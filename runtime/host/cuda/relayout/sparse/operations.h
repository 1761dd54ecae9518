// SPDX-License-Identifier: Apache-2.0
// CPU executor's cuSPARSE: products, triangular solutions and conversions. Sums are formed in the
// order of the entries.
#pragma once

namespace relayout::host::sparse {

inline int64_t indexAt(const void *indices, cusparseIndexType_t type, int64_t place) {
  return type == CUSPARSE_INDEX_32I ? static_cast<const int *>(indices)[place]
                                    : static_cast<const int64_t *>(indices)[place];
}
inline void setIndex(void *indices, cusparseIndexType_t type, int64_t place, int64_t value) {
  if (type == CUSPARSE_INDEX_32I)
    static_cast<int *>(indices)[place] = static_cast<int>(value);
  else
    static_cast<int64_t *>(indices)[place] = value;
}

/// f(row, column, value) of op(A), in the order of the entries.
template <class T, class F>
void forEachEntry(const cusparseSpMatDescr &matrix, cusparseOperation_t operation, F f) {
  const T *const values = static_cast<const T *>(matrix.values);
  const bool isSwapped =
      (matrix.format == CUSPARSE_FORMAT_CSC) != (operation != CUSPARSE_OPERATION_NON_TRANSPOSE);
  const auto entry = [&](int64_t major, int64_t place) {
    const int64_t minor = indexAt(matrix.indices, matrix.indexType, place) - matrix.base;
    if (isSwapped)
      f(minor, major, values[place]);
    else
      f(major, minor, values[place]);
  };
  if (matrix.format == CUSPARSE_FORMAT_COO) {
    for (int64_t place = 0; place < matrix.entries; ++place)
      entry(indexAt(matrix.offsets, matrix.offsetType, place) - matrix.base, place);
    return;
  }
  const int64_t majors = matrix.format == CUSPARSE_FORMAT_CSC ? matrix.columns : matrix.rows;
  for (int64_t major = 0; major < majors; ++major) {
    const int64_t end = indexAt(matrix.offsets, matrix.offsetType, major + 1) - matrix.base;
    for (int64_t i = indexAt(matrix.offsets, matrix.offsetType, major) - matrix.base; i < end; ++i)
      entry(major, i);
  }
}

template <class T>
T &at(const cusparseDnMatDescr &matrix, cusparseOperation_t operation, int64_t row,
      int64_t column) {
  if (operation != CUSPARSE_OPERATION_NON_TRANSPOSE)
    std::swap(row, column);
  return static_cast<T *>(
      matrix.values)[matrix.order == CUSPARSE_ORDER_ROW ? row * matrix.step + column
                                                        : row + column * matrix.step];
}

/// f with a number of the type.
template <class F> cusparseStatus_t withType(cudaDataType type, F f) {
  if (type == CUDA_R_32F)
    return f(0.0f);
  if (type == CUDA_R_64F)
    return f(0.0);
  return CUSPARSE_STATUS_NOT_SUPPORTED;
}

inline int64_t rowsOf(const cusparseSpMatDescr &matrix, cusparseOperation_t operation) {
  return operation == CUSPARSE_OPERATION_NON_TRANSPOSE ? matrix.rows : matrix.columns;
}
inline int64_t columnsOf(const cusparseSpMatDescr &matrix, cusparseOperation_t operation) {
  return operation == CUSPARSE_OPERATION_NON_TRANSPOSE ? matrix.columns : matrix.rows;
}

/// \param in, out  places of the operand's and the result's elements
template <class T, class In, class Out>
void multiply(const cusparseSpMatDescr &matrix, cusparseOperation_t operation, T alpha, T beta,
              In in, Out out) {
  std::vector<T> sums(static_cast<size_t>(rowsOf(matrix, operation)), T(0));
  forEachEntry<T>(matrix, operation, [&](int64_t row, int64_t column, T value) {
    sums[static_cast<size_t>(row)] += value * in(column);
  });
  for (size_t row = 0; row < sums.size(); ++row) {
    T &result = out(static_cast<int64_t>(row));
    result = beta == T(0) ? alpha * sums[row] : alpha * sums[row] + beta * result;
  }
}

/// Rows of a product, sorted by column.
using ProductRows = std::vector<std::map<int64_t, double>>;

} // namespace relayout::host::sparse

struct cusparseSpGEMMDescr {
  relayout::host::sparse::ProductRows rows;
};
typedef struct cusparseSpGEMMDescr *cusparseSpGEMMDescr_t;
struct cusparseSpSVDescr {};
typedef struct cusparseSpSVDescr *cusparseSpSVDescr_t;

inline cusparseStatus_t cusparseSpMV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void *,
                                                cusparseConstSpMatDescr_t,
                                                cusparseConstDnVecDescr_t, const void *,
                                                cusparseDnVecDescr_t, cudaDataType,
                                                cusparseSpMVAlg_t, size_t *bytes) {
  *bytes = 1;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMV_preprocess(cusparseHandle_t, cusparseOperation_t, const void *,
                                                cusparseConstSpMatDescr_t,
                                                cusparseConstDnVecDescr_t, const void *,
                                                cusparseDnVecDescr_t, cudaDataType,
                                                cusparseSpMVAlg_t, void *) {
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMV(cusparseHandle_t, cusparseOperation_t operation,
                                     const void *alpha, cusparseConstSpMatDescr_t matrix,
                                     cusparseConstDnVecDescr_t x, const void *beta,
                                     cusparseDnVecDescr_t y, cudaDataType type, cusparseSpMVAlg_t,
                                     void *) {
  using namespace relayout::host::sparse;
  if (matrix->type != type || x->type != type || y->type != type)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (x->size != columnsOf(*matrix, operation) || y->size != rowsOf(*matrix, operation))
    return CUSPARSE_STATUS_INVALID_VALUE;
  return withType(type, [&](auto zero) {
    using T = decltype(zero);
    multiply<T>(
        *matrix, operation, *static_cast<const T *>(alpha), *static_cast<const T *>(beta),
        [&](int64_t i) { return static_cast<const T *>(x->values)[i]; },
        [&](int64_t i) -> T & { return static_cast<T *>(y->values)[i]; });
    return CUSPARSE_STATUS_SUCCESS;
  });
}

inline cusparseStatus_t
cusparseSpMM_bufferSize(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
                        cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void *,
                        cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, size_t *bytes) {
  *bytes = 1;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t
cusparseSpMM_preprocess(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t, const void *,
                        cusparseConstSpMatDescr_t, cusparseConstDnMatDescr_t, const void *,
                        cusparseDnMatDescr_t, cudaDataType, cusparseSpMMAlg_t, void *) {
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpMM(cusparseHandle_t, cusparseOperation_t opA,
                                     cusparseOperation_t opB, const void *alpha,
                                     cusparseConstSpMatDescr_t a, cusparseConstDnMatDescr_t b,
                                     const void *beta, cusparseDnMatDescr_t c, cudaDataType type,
                                     cusparseSpMMAlg_t, void *) {
  using namespace relayout::host::sparse;
  if (a->type != type || b->type != type || c->type != type)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  const bool isPlain = opB == CUSPARSE_OPERATION_NON_TRANSPOSE;
  if ((isPlain ? b->rows : b->columns) != columnsOf(*a, opA) || c->rows != rowsOf(*a, opA) ||
      c->columns != (isPlain ? b->columns : b->rows))
    return CUSPARSE_STATUS_INVALID_VALUE;
  return withType(type, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t column = 0; column < c->columns; ++column)
      multiply<T>(
          *a, opA, *static_cast<const T *>(alpha), *static_cast<const T *>(beta),
          [&](int64_t row) { return at<T>(*b, opB, row, column); },
          [&](int64_t row) -> T & {
            return at<T>(*c, CUSPARSE_OPERATION_NON_TRANSPOSE, row, column);
          });
    return CUSPARSE_STATUS_SUCCESS;
  });
}

// Products of two matrices by rows.
inline cusparseStatus_t cusparseSpGEMM_createDescr(cusparseSpGEMMDescr_t *product) {
  *product = new cusparseSpGEMMDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpGEMM_destroyDescr(cusparseSpGEMMDescr_t product) {
  delete product;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t
cusparseSpGEMM_workEstimation(cusparseHandle_t, cusparseOperation_t, cusparseOperation_t,
                              const void *, cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t,
                              const void *, cusparseSpMatDescr_t, cudaDataType, cusparseSpGEMMAlg_t,
                              cusparseSpGEMMDescr_t, size_t *bytes, void *) {
  *bytes = 1;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t
cusparseSpGEMM_compute(cusparseHandle_t, cusparseOperation_t opA, cusparseOperation_t opB,
                       const void *, cusparseConstSpMatDescr_t a, cusparseConstSpMatDescr_t b,
                       const void *, cusparseSpMatDescr_t c, cudaDataType type, cusparseSpGEMMAlg_t,
                       cusparseSpGEMMDescr_t product, size_t *bytes, void *buffer) {
  using namespace relayout::host::sparse;
  if (opA != CUSPARSE_OPERATION_NON_TRANSPOSE || opB != CUSPARSE_OPERATION_NON_TRANSPOSE ||
      a->format != CUSPARSE_FORMAT_CSR || b->format != CUSPARSE_FORMAT_CSR || a->type != type ||
      b->type != type || c->type != type)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (a->columns != b->rows)
    return CUSPARSE_STATUS_INVALID_VALUE;
  *bytes = 1;
  if (buffer == nullptr)
    return CUSPARSE_STATUS_SUCCESS;
  return withType(type, [&](auto zero) {
    using T = decltype(zero);
    std::vector<std::vector<std::pair<int64_t, T>>> right(static_cast<size_t>(b->rows));
    forEachEntry<T>(*b, opB, [&](int64_t row, int64_t column, T value) {
      right[static_cast<size_t>(row)].emplace_back(column, value);
    });
    product->rows.assign(static_cast<size_t>(a->rows), {});
    forEachEntry<T>(*a, opA, [&](int64_t row, int64_t inner, T value) {
      for (const auto &[column, factor] : right[static_cast<size_t>(inner)]) {
        double &sum = product->rows[static_cast<size_t>(row)][column];
        sum = static_cast<T>(static_cast<T>(sum) + value * factor);
      }
    });
    c->entries = 0;
    for (const auto &row : product->rows)
      c->entries += static_cast<int64_t>(row.size());
    return CUSPARSE_STATUS_SUCCESS;
  });
}
inline cusparseStatus_t cusparseSpGEMM_copy(cusparseHandle_t, cusparseOperation_t,
                                            cusparseOperation_t, const void *alpha,
                                            cusparseConstSpMatDescr_t, cusparseConstSpMatDescr_t,
                                            const void *beta, cusparseSpMatDescr_t c,
                                            cudaDataType type, cusparseSpGEMMAlg_t,
                                            cusparseSpGEMMDescr_t product) {
  using namespace relayout::host::sparse;
  return withType(type, [&](auto zero) {
    using T = decltype(zero);
    const T scale = *static_cast<const T *>(alpha), keep = *static_cast<const T *>(beta);
    int64_t place = 0;
    for (size_t row = 0; row < product->rows.size(); ++row) {
      setIndex(c->offsets, c->offsetType, static_cast<int64_t>(row), place + c->base);
      for (const auto &[column, sum] : product->rows[row]) {
        T &value = static_cast<T *>(c->values)[place];
        value =
            keep == T(0) ? scale * static_cast<T>(sum) : scale * static_cast<T>(sum) + keep * value;
        setIndex(c->indices, c->indexType, place++, column + c->base);
      }
    }
    setIndex(c->offsets, c->offsetType, static_cast<int64_t>(product->rows.size()),
             place + c->base);
    return CUSPARSE_STATUS_SUCCESS;
  });
}

// op(A) y = alpha x, where A is the triangle that its attributes name.
inline cusparseStatus_t cusparseSpSV_createDescr(cusparseSpSVDescr_t *solution) {
  *solution = new cusparseSpSVDescr;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_destroyDescr(cusparseSpSVDescr_t solution) {
  delete solution;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_bufferSize(cusparseHandle_t, cusparseOperation_t, const void *,
                                                cusparseConstSpMatDescr_t,
                                                cusparseConstDnVecDescr_t, cusparseDnVecDescr_t,
                                                cudaDataType, cusparseSpSVAlg_t,
                                                cusparseSpSVDescr_t, size_t *bytes) {
  *bytes = 1;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_analysis(cusparseHandle_t, cusparseOperation_t, const void *,
                                              cusparseConstSpMatDescr_t, cusparseConstDnVecDescr_t,
                                              cusparseDnVecDescr_t, cudaDataType, cusparseSpSVAlg_t,
                                              cusparseSpSVDescr_t, void *) {
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSpSV_solve(cusparseHandle_t, cusparseOperation_t operation,
                                           const void *alpha, cusparseConstSpMatDescr_t matrix,
                                           cusparseConstDnVecDescr_t x, cusparseDnVecDescr_t y,
                                           cudaDataType type, cusparseSpSVAlg_t,
                                           cusparseSpSVDescr_t) {
  using namespace relayout::host::sparse;
  if (matrix->type != type || x->type != type || y->type != type)
    return CUSPARSE_STATUS_NOT_SUPPORTED;
  if (matrix->rows != matrix->columns || x->size != matrix->rows || y->size != matrix->rows)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return withType(type, [&](auto zero) {
    using T = decltype(zero);
    const bool isLower = (matrix->fill == CUSPARSE_FILL_MODE_LOWER) ==
                         (operation == CUSPARSE_OPERATION_NON_TRANSPOSE);
    const int64_t size = matrix->rows;
    std::vector<std::vector<std::pair<int64_t, T>>> rows(static_cast<size_t>(size));
    std::vector<T> diagonal(static_cast<size_t>(size), T(1));
    forEachEntry<T>(*matrix, operation, [&](int64_t row, int64_t column, T value) {
      if (row == column && matrix->diagonal == CUSPARSE_DIAG_TYPE_NON_UNIT)
        diagonal[static_cast<size_t>(row)] = value;
      else if (isLower ? column < row : column > row)
        rows[static_cast<size_t>(row)].emplace_back(column, value);
    });
    T *const out = static_cast<T *>(y->values);
    for (int64_t i = 0; i < size; ++i) {
      const int64_t row = isLower ? i : size - 1 - i;
      T rest = *static_cast<const T *>(alpha) * static_cast<const T *>(x->values)[row];
      for (const auto &[column, value] : rows[static_cast<size_t>(row)])
        rest -= value * out[column];
      out[row] = rest / diagonal[static_cast<size_t>(row)];
    }
    return CUSPARSE_STATUS_SUCCESS;
  });
}

inline cusparseStatus_t
cusparseSparseToDense_bufferSize(cusparseHandle_t, cusparseConstSpMatDescr_t, cusparseDnMatDescr_t,
                                 cusparseSparseToDenseAlg_t, size_t *bytes) {
  *bytes = 1;
  return CUSPARSE_STATUS_SUCCESS;
}
inline cusparseStatus_t cusparseSparseToDense(cusparseHandle_t, cusparseConstSpMatDescr_t sparse,
                                              cusparseDnMatDescr_t dense,
                                              cusparseSparseToDenseAlg_t, void *) {
  using namespace relayout::host::sparse;
  if (sparse->type != dense->type || sparse->rows != dense->rows ||
      sparse->columns != dense->columns)
    return CUSPARSE_STATUS_INVALID_VALUE;
  return withType(sparse->type, [&](auto zero) {
    using T = decltype(zero);
    constexpr auto kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    for (int64_t row = 0; row < dense->rows; ++row)
      for (int64_t column = 0; column < dense->columns; ++column)
        at<T>(*dense, kPlain, row, column) = T(0);
    forEachEntry<T>(*sparse, kPlain, [&](int64_t row, int64_t column, T value) {
      at<T>(*dense, kPlain, row, column) = value;
    });
    return CUSPARSE_STATUS_SUCCESS;
  });
}
