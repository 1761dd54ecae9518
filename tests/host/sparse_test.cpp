// SPDX-License-Identifier: Apache-2.0
// cuSPARSE on the executor, compared with dense loops.
#include <cusparse.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace {

constexpr cusparseOperation_t kPlain = CUSPARSE_OPERATION_NON_TRANSPOSE;
constexpr cusparseOperation_t kTransposed = CUSPARSE_OPERATION_TRANSPOSE;

struct Handle {
  cusparseHandle_t value = nullptr;
  Handle() { cusparseCreate(&value); }
  ~Handle() { cusparseDestroy(value); }
  operator cusparseHandle_t() const { return value; }
};

/// [1 0 2; 0 0 3; 4 5 0; 0 6 0]
struct Example {
  std::vector<double> dense = {1, 0, 2, 0, 0, 3, 4, 5, 0, 0, 6, 0};
  std::vector<int> rowOffsets = {0, 2, 3, 5, 6}, columns = {0, 2, 2, 0, 1, 1};
  std::vector<int> rows = {0, 0, 1, 2, 2, 3};
  std::vector<double> values = {1, 2, 3, 4, 5, 6};
  std::vector<std::int64_t> columnOffsets = {1, 3, 5, 7}, rowsByColumn = {1, 3, 3, 4, 1, 2};
  std::vector<double> valuesByColumn = {1, 4, 5, 6, 2, 3};

  std::vector<cusparseSpMatDescr_t> inAllFormats() {
    std::vector<cusparseSpMatDescr_t> all(3);
    EXPECT_EQ(cusparseCreateCsr(&all[0], 4, 3, 6, rowOffsets.data(), columns.data(), values.data(),
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                                CUDA_R_64F),
              CUSPARSE_STATUS_SUCCESS);
    EXPECT_EQ(cusparseCreateCsc(&all[1], 4, 3, 6, columnOffsets.data(), rowsByColumn.data(),
                                valuesByColumn.data(), CUSPARSE_INDEX_64I, CUSPARSE_INDEX_64I,
                                CUSPARSE_INDEX_BASE_ONE, CUDA_R_64F),
              CUSPARSE_STATUS_SUCCESS);
    EXPECT_EQ(cusparseCreateCoo(&all[2], 4, 3, 6, rows.data(), columns.data(), values.data(),
                                CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F),
              CUSPARSE_STATUS_SUCCESS);
    return all;
  }
};

TEST(Sparse, MatrixTimesVectorInEachFormat) {
  Example example;
  const Handle handle;
  for (const auto operation : {kPlain, kTransposed}) {
    const int rows = operation == kPlain ? 4 : 3, columns = operation == kPlain ? 3 : 4;
    for (cusparseSpMatDescr_t matrix : example.inAllFormats()) {
      std::vector<double> x(columns), y(rows, 10);
      for (int i = 0; i < columns; ++i)
        x[i] = i + 1;
      cusparseDnVecDescr_t in, out;
      cusparseCreateDnVec(&in, columns, x.data(), CUDA_R_64F);
      cusparseCreateDnVec(&out, rows, y.data(), CUDA_R_64F);
      const double alpha = 2, beta = 0.5;
      size_t bytes = 0;
      EXPECT_EQ(cusparseSpMV_bufferSize(handle, operation, &alpha, matrix, in, &beta, out,
                                        CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, &bytes),
                CUSPARSE_STATUS_SUCCESS);
      EXPECT_EQ(cusparseSpMV(handle, operation, &alpha, matrix, in, &beta, out, CUDA_R_64F,
                             CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
                CUSPARSE_STATUS_SUCCESS);
      for (int i = 0; i < rows; ++i) {
        double sum = 0;
        for (int j = 0; j < columns; ++j)
          sum += example.dense[operation == kPlain ? i * 3 + j : j * 3 + i] * x[j];
        EXPECT_EQ(y[i], 2 * sum + 5);
      }
      EXPECT_EQ(cusparseSpMV(handle, operation, &alpha, matrix, out, &beta, in, CUDA_R_64F,
                             CUSPARSE_SPMV_ALG_DEFAULT, nullptr),
                CUSPARSE_STATUS_INVALID_VALUE);
      cusparseDestroyDnVec(in);
      cusparseDestroyDnVec(out);
      cusparseDestroySpMat(matrix);
    }
  }
}

TEST(Sparse, MatrixTimesDenseMatrixInBothOrders) {
  Example example;
  const Handle handle;
  for (const auto order : {CUSPARSE_ORDER_ROW, CUSPARSE_ORDER_COL})
    for (cusparseSpMatDescr_t matrix : example.inAllFormats()) {
      std::vector<double> b(3 * 5), c(4 * 5, NAN);
      for (int i = 0; i < 15; ++i)
        b[i] = i * i % 7;
      const bool byRows = order == CUSPARSE_ORDER_ROW;
      cusparseDnMatDescr_t in, out;
      cusparseCreateDnMat(&in, 3, 5, byRows ? 5 : 3, b.data(), CUDA_R_64F, order);
      cusparseCreateDnMat(&out, 4, 5, byRows ? 5 : 4, c.data(), CUDA_R_64F, order);
      const double alpha = 3, beta = 0;
      EXPECT_EQ(cusparseSpMM(handle, kPlain, kPlain, &alpha, matrix, in, &beta, out, CUDA_R_64F,
                             CUSPARSE_SPMM_ALG_DEFAULT, nullptr),
                CUSPARSE_STATUS_SUCCESS);
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 5; ++j) {
          double sum = 0;
          for (int k = 0; k < 3; ++k)
            sum += example.dense[i * 3 + k] * b[byRows ? k * 5 + j : k + j * 3];
          EXPECT_EQ(c[byRows ? i * 5 + j : i + j * 4], 3 * sum);
        }
      cusparseDestroyDnMat(in);
      cusparseDestroyDnMat(out);
      cusparseDestroySpMat(matrix);
    }
}

TEST(Sparse, ProductOfTwoMatrices) {
  const Handle handle;
  std::vector<int> offsets = {0, 2, 3}, columns = {0, 1, 1};
  std::vector<float> values = {1, 2, 3}; // [1 2; 0 3]
  cusparseSpMatDescr_t a, c;
  cusparseCreateCsr(&a, 2, 2, 3, offsets.data(), columns.data(), values.data(), CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseCreateCsr(&c, 2, 2, 0, nullptr, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                    CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F);
  cusparseSpGEMMDescr_t product;
  cusparseSpGEMM_createDescr(&product);
  const float alpha = 2, beta = 0;
  size_t bytes = 0;
  char buffer[8];
  for (void *at : {static_cast<void *>(nullptr), static_cast<void *>(buffer)})
    EXPECT_EQ(cusparseSpGEMM_compute(handle, kPlain, kPlain, &alpha, a, a, &beta, c, CUDA_R_32F,
                                     CUSPARSE_SPGEMM_DEFAULT, product, &bytes, at),
              CUSPARSE_STATUS_SUCCESS);
  std::int64_t rows, width, entries;
  cusparseSpMatGetSize(c, &rows, &width, &entries);
  ASSERT_EQ(entries, 3);
  std::vector<int> cOffsets(3), cColumns(3);
  std::vector<float> cValues(3);
  cusparseCsrSetPointers(c, cOffsets.data(), cColumns.data(), cValues.data());
  EXPECT_EQ(cusparseSpGEMM_copy(handle, kPlain, kPlain, &alpha, a, a, &beta, c, CUDA_R_32F,
                                CUSPARSE_SPGEMM_DEFAULT, product),
            CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(cOffsets, (std::vector<int>{0, 2, 3}));
  EXPECT_EQ(cColumns, (std::vector<int>{0, 1, 1}));
  EXPECT_EQ(cValues, (std::vector<float>{2, 16, 18}));
  cusparseSpGEMM_destroyDescr(product);
  cusparseDestroySpMat(a);
  cusparseDestroySpMat(c);
}

TEST(Sparse, TrianglesAreSolvedAndSpreadOut) {
  const Handle handle;
  std::vector<int> offsets = {0, 1, 3, 6}, columns = {0, 0, 1, 0, 1, 2};
  std::vector<double> values = {2, 1, 4, 3, 5, 8};
  cusparseSpMatDescr_t lower;
  cusparseCreateCsr(&lower, 3, 3, 6, offsets.data(), columns.data(), values.data(),
                    CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
  std::vector<double> spread(9, NAN);
  cusparseDnMatDescr_t dense;
  cusparseCreateDnMat(&dense, 3, 3, 3, spread.data(), CUDA_R_64F, CUSPARSE_ORDER_ROW);
  EXPECT_EQ(
      cusparseSparseToDense(handle, lower, dense, CUSPARSE_SPARSETODENSE_ALG_DEFAULT, nullptr),
      CUSPARSE_STATUS_SUCCESS);
  EXPECT_EQ(spread, (std::vector<double>{2, 0, 0, 1, 4, 0, 3, 5, 8}));
  for (const auto operation : {kPlain, kTransposed}) {
    std::vector<double> x = {1, -2, 3}, b(3, 0), found(3, 0);
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        b[i] += spread[operation == kPlain ? i * 3 + j : j * 3 + i] * x[j];
    cusparseDnVecDescr_t in, out;
    cusparseCreateDnVec(&in, 3, b.data(), CUDA_R_64F);
    cusparseCreateDnVec(&out, 3, found.data(), CUDA_R_64F);
    cusparseSpSVDescr_t solution;
    cusparseSpSV_createDescr(&solution);
    const double alpha = 1;
    EXPECT_EQ(cusparseSpSV_solve(handle, operation, &alpha, lower, in, out, CUDA_R_64F,
                                 CUSPARSE_SPSV_ALG_DEFAULT, solution),
              CUSPARSE_STATUS_SUCCESS);
    EXPECT_EQ(found, x);
    cusparseSpSV_destroyDescr(solution);
    cusparseDestroyDnVec(in);
    cusparseDestroyDnVec(out);
  }
  cusparseDestroyDnMat(dense);
  cusparseDestroySpMat(lower);
}

TEST(Sparse, OtherTypesAreRefused) {
  cusparseSpMatDescr_t matrix;
  int offsets[2] = {0, 0};
  EXPECT_EQ(cusparseCreateCsr(&matrix, 1, 1, 0, offsets, nullptr, nullptr, CUSPARSE_INDEX_32I,
                              CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_C_32F),
            CUSPARSE_STATUS_NOT_SUPPORTED);
}

} // namespace
