// SPDX-License-Identifier: Apache-2.0
// cuBLAS on the CPU executor, against sums over indices written out.
#include <cuda_runtime.h>

#include <cublas.h>
#include <cublas_v2.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace {

class Blas : public testing::Test {
protected:
  void SetUp() override { ASSERT_EQ(cublasCreate(&handle), CUBLAS_STATUS_SUCCESS); }
  void TearDown() override { cublasDestroy(handle); }

  static std::vector<double> numbers(std::size_t count, double start) {
    std::vector<double> values(count);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = start + static_cast<double>(i * 7 % 11);
    return values;
  }

  cublasHandle_t handle = nullptr;
};

TEST_F(Blas, GemmMultipliesInAllFourForms) {
  constexpr int kM = 3, kN = 2, kK = 4, kLda = 5, kLdb = 6, kLdc = 4;
  const std::vector<double> a = numbers(std::size_t{kLda} * 5, 1),
                            b = numbers(std::size_t{kLdb} * 6, -2);
  for (const cublasOperation_t opA : {CUBLAS_OP_N, CUBLAS_OP_T})
    for (const cublasOperation_t opB : {CUBLAS_OP_N, CUBLAS_OP_T}) {
      std::vector<double> c = numbers(std::size_t{kLdc} * kN, 3), expected = c;
      for (int i = 0; i < kM; ++i)
        for (int j = 0; j < kN; ++j) {
          double sum = 0;
          for (int k = 0; k < kK; ++k)
            sum += a[opA == CUBLAS_OP_N ? i + k * kLda : k + i * kLda] *
                   b[opB == CUBLAS_OP_N ? k + j * kLdb : j + k * kLdb];
          expected[i + j * kLdc] = 2 * sum + 0.5 * expected[i + j * kLdc];
        }
      const double alpha = 2, beta = 0.5;
      EXPECT_EQ(cublasDgemm(handle, opA, opB, kM, kN, kK, &alpha, a.data(), kLda, b.data(), kLdb,
                            &beta, c.data(), kLdc),
                CUBLAS_STATUS_SUCCESS);
      EXPECT_EQ(c, expected);
    }
}

TEST_F(Blas, TheFirstInterfaceHasNoHandles) {
  const float a[] = {1, 2, 3, 4}, b[] = {5, 6, 7, 8};
  float c[4] = {};
  EXPECT_EQ(cublasInit(), CUBLAS_STATUS_SUCCESS);
  cublasSgemm('n', 'T', 2, 2, 2, 2.0f, a, 2, b, 2, 0.0f, c, 2);
  EXPECT_EQ(cublasGetError(), CUBLAS_STATUS_SUCCESS);
  const float one = 2, zero = 0;
  float expected[4];
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, 2, 2, 2, &one, a, 2, b, 2, &zero, expected, 2);
  EXPECT_THAT(c, testing::ElementsAreArray(expected));
  cublasSgemm('n', 'n', -1, 2, 2, 2.0f, a, 2, b, 2, 0.0f, c, 2);
  EXPECT_EQ(cublasGetError(), CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(cublasGetError(), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasSdot(4, a, 1, b, 1), 70);
  EXPECT_EQ(cublasIsamax(4, a, 1), 4);
  float *memory = nullptr;
  ASSERT_EQ(cublasAlloc(4, sizeof(float), reinterpret_cast<void **>(&memory)),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasFree(memory), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cublasShutdown(), CUBLAS_STATUS_SUCCESS);
}

TEST_F(Blas, BetaOfZeroReadsNothing) {
  const float one = 1, zero = 0, a = 3, x = 5;
  float y = std::numeric_limits<float>::quiet_NaN();
  cublasSgemv(handle, CUBLAS_OP_N, 1, 1, &one, &a, 1, &x, 1, &zero, &y, 1);
  EXPECT_EQ(y, 15);
  y = std::numeric_limits<float>::quiet_NaN();
  cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, &a, 1, &x, 1, &zero, &y, 1);
  EXPECT_EQ(y, 15);
}

TEST_F(Blas, VectorsAreWalkedByTheirDistances) {
  const std::vector<double> x = {1, -1, 2, -1, 3};
  std::vector<double> y = {10, 20, 30};
  const double alpha = 2;
  cublasDaxpy(handle, 3, &alpha, x.data(), 2, y.data(), -1);
  EXPECT_EQ(y, (std::vector<double>{16, 24, 32}));
  double dot = 0, norm = 0;
  cublasDdot(handle, 3, x.data(), 2, y.data(), 1, &dot);
  EXPECT_EQ(dot, 16 + 48 + 96);
  const std::vector<double> pair = {3, -4};
  cublasDnrm2(handle, 2, pair.data(), 1, &norm);
  EXPECT_EQ(norm, 5);
  int largest = 0;
  cublasIdamax(handle, 2, pair.data(), 1, &largest);
  EXPECT_EQ(largest, 2);
}

TEST_F(Blas, TriangularSystemsAreSolvedFromBothSides) {
  // By columns: [2 0 0; 1 3 0; 4 5 6], and above the diagonal what must not be read.
  const std::vector<double> a = {2, 1, 4, 99, 3, 5, 99, 99, 6};
  const std::vector<double> solution = {1, -2, 3};
  const double one = 1;
  for (const cublasOperation_t op : {CUBLAS_OP_N, CUBLAS_OP_T})
    for (const cublasSideMode_t side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
      std::vector<double> b(3);
      const bool isRowSum = (op == CUBLAS_OP_N) == (side == CUBLAS_SIDE_LEFT);
      for (int i = 0; i < 3; ++i)
        for (int k = 0; k < 3; ++k) {
          const int row = isRowSum ? i : k, column = isRowSum ? k : i;
          if (row >= column)
            b[i] += a[row + 3 * column] * solution[k];
        }
      const bool isLeft = side == CUBLAS_SIDE_LEFT;
      cublasDtrsm(handle, side, CUBLAS_FILL_MODE_LOWER, op, CUBLAS_DIAG_NON_UNIT, isLeft ? 3 : 1,
                  isLeft ? 1 : 3, &one, a.data(), 3, b.data(), isLeft ? 3 : 1);
      EXPECT_EQ(b, solution);
    }
}

TEST_F(Blas, TransfersReachDeviceMemory) {
  double *device = nullptr;
  ASSERT_EQ(cudaMalloc(&device, 6 * sizeof(double)), cudaSuccess);
  const std::vector<double> host = {1, 2, 3, 4, 5, 6};
  EXPECT_EQ(cublasSetVector(3, sizeof(double), host.data(), 2, device, 1), CUBLAS_STATUS_SUCCESS);
  std::vector<double> back(3);
  EXPECT_EQ(cublasGetVector(3, sizeof(double), device, 1, back.data(), 1), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(back, (std::vector<double>{1, 3, 5}));
  EXPECT_EQ(cublasSetMatrix(2, 2, sizeof(double), host.data(), 3, device, 2),
            CUBLAS_STATUS_SUCCESS);
  back.resize(4);
  cublasGetMatrix(2, 2, sizeof(double), device, 2, back.data(), 2);
  EXPECT_EQ(back, (std::vector<double>{1, 2, 4, 5}));
  cudaFree(device);
}

TEST_F(Blas, WrongSizesAreToldAndNotRead) {
  const float one = 1;
  float c = 7;
  EXPECT_EQ(
      cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, 2, 1, 1, &one, &one, 1, &one, 1, &one, &c, 2),
      CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_EQ(c, 7);
}

TEST_F(Blas, ProductsOfHalvesAndOfMixedTypes) {
  constexpr int kRows = 3, kColumns = 4, kInner = 5;
  std::vector<__half> a(std::size_t{kRows} * kInner), b(std::size_t{kColumns} * kInner),
      c(std::size_t{kRows} * kColumns);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = __half(static_cast<float>(static_cast<int>(i * 7 % 9) - 4) / 4);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = __half(static_cast<float>(i * 5 % 11) / 8);
  for (__half &value : c)
    value = __half(1.0f);
  const auto expected = [&](int row, int column) { // b is transposed
    double sum = 0;
    for (int i = 0; i < kInner; ++i)
      sum += a[row + i * kRows].number() * b[column + i * kColumns].number();
    return sum;
  };
  std::vector<float> wide(c.size(), -1);
  const float two = 2, zero = 0;
  EXPECT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, kRows, kColumns, kInner, &two, a.data(),
                         CUDA_R_16F, kRows, b.data(), CUDA_R_16F, kColumns, &zero, wide.data(),
                         CUDA_R_32F, kRows, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  std::vector<float> asBefore(c.size(), -1); // how programs older than cuBLAS 11 write it
  EXPECT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, kRows, kColumns, kInner, &two, a.data(),
                         CUDA_R_16F, kRows, b.data(), CUDA_R_16F, kColumns, &zero, asBefore.data(),
                         CUDA_R_32F, kRows, CUDA_R_32F, CUBLAS_GEMM_DEFAULT_TENSOR_OP),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(asBefore, wide);
  const __half one = 1.0f, half = 0.5f;
  EXPECT_EQ(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, kRows, kColumns, kInner, &one, a.data(),
                        kRows, b.data(), kColumns, &half, c.data(), kRows),
            CUBLAS_STATUS_SUCCESS);
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      EXPECT_EQ(wide[row + column * kRows], 2 * expected(row, column));
      EXPECT_EQ(c[row + column * kRows].number(), __half::of(expected(row, column) + 0.5).number());
    }
  const signed char bytes[4] = {1, -2, 3, 4};
  int product[2] = {7, 7};
  const int oneInteger = 1, zeroInteger = 0;
  EXPECT_EQ(cublasGemmStridedBatchedEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 2, &oneInteger,
                                       bytes, CUDA_R_8I, 1, 2, bytes, CUDA_R_8I, 2, 2, &zeroInteger,
                                       product, CUDA_R_32I, 1, 1, 2, CUBLAS_COMPUTE_32I,
                                       CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(product[0], 5);
  EXPECT_EQ(product[1], 25);
  EXPECT_EQ(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &two, bytes, CUDA_C_8I, 1,
                         bytes, CUDA_R_8I, 1, &zero, product, CUDA_R_32F, 1, CUBLAS_COMPUTE_32F,
                         CUBLAS_GEMM_DEFAULT),
            CUBLAS_STATUS_NOT_SUPPORTED);
}

} // namespace
