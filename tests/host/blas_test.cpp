// SPDX-License-Identifier: Apache-2.0
// cuBLAS on the CPU executor, against sums over indices written out.
#include <cuda_runtime.h>

#include <cublas.h>
#include <cublas_v2.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <complex>
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

using Number = std::complex<double>;

/// Whole numbers, of which sums are exact.
std::vector<cuDoubleComplex> pairs(std::size_t count, int start) {
  std::vector<cuDoubleComplex> values(count);
  for (std::size_t i = 0; i < count; ++i)
    values[i] = {static_cast<double>(start + static_cast<int>(i * 7 % 11)),
                 static_cast<double>(static_cast<int>(i * 5 % 7) - start)};
  return values;
}
Number number(cuDoubleComplex pair) { return {pair.x, pair.y}; }
std::vector<Number> numbersOf(const std::vector<cuDoubleComplex> &from) {
  std::vector<Number> values;
  for (const cuDoubleComplex pair : from)
    values.push_back(number(pair));
  return values;
}
/// Element of op(A).
Number element(const std::vector<cuDoubleComplex> &a, int lda, cublasOperation_t op, int row,
               int column) {
  const Number stored = number(op == CUBLAS_OP_N ? a[row + column * lda] : a[column + row * lda]);
  return op == CUBLAS_OP_C ? std::conj(stored) : stored;
}
constexpr cublasOperation_t kOperations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
const cuDoubleComplex kAlpha = {2, -1}, kBeta = {0, 3};

TEST_F(Blas, ComplexProductsInAllForms) {
  constexpr int kM = 3, kN = 2, kK = 4, kLda = 5, kLdb = 6, kLdc = 4;
  const std::vector<cuDoubleComplex> a = pairs(std::size_t{kLda} * 5, 1),
                                     b = pairs(std::size_t{kLdb} * 6, -2), x = pairs(5, 2);
  for (const cublasOperation_t opA : kOperations) {
    for (const cublasOperation_t opB : kOperations) {
      std::vector<cuDoubleComplex> c = pairs(std::size_t{kLdc} * kN, 3);
      std::vector<Number> expected = numbersOf(c);
      for (int i = 0; i < kM; ++i)
        for (int j = 0; j < kN; ++j) {
          Number sum = 0;
          for (int k = 0; k < kK; ++k)
            sum += element(a, kLda, opA, i, k) * element(b, kLdb, opB, k, j);
          Number &out = expected[static_cast<std::size_t>(i + j * kLdc)];
          out = number(kAlpha) * sum + number(kBeta) * out;
        }
      std::vector<cuDoubleComplex> batched = c;
      EXPECT_EQ(cublasZgemm(handle, opA, opB, kM, kN, kK, &kAlpha, a.data(), kLda, b.data(), kLdb,
                            &kBeta, c.data(), kLdc),
                CUBLAS_STATUS_SUCCESS);
      EXPECT_EQ(numbersOf(c), expected);
      EXPECT_EQ(cublasZgemmStridedBatched(handle, opA, opB, kM, kN, kK, &kAlpha, a.data(), kLda, 0,
                                          b.data(), kLdb, 0, &kBeta, batched.data(), kLdc, 0, 1),
                CUBLAS_STATUS_SUCCESS);
      EXPECT_EQ(numbersOf(batched), expected);
    }
    std::vector<cuDoubleComplex> y = pairs(5, 3);
    std::vector<Number> expected = numbersOf(y);
    const int outputs = opA == CUBLAS_OP_N ? kM : kK, inputs = opA == CUBLAS_OP_N ? kK : kM;
    for (int i = 0; i < outputs; ++i) {
      Number sum = 0;
      for (int k = 0; k < inputs; ++k)
        sum += element(a, kLda, opA, i, k) * number(x[static_cast<std::size_t>(k)]);
      Number &out = expected[static_cast<std::size_t>(i)];
      out = number(kAlpha) * sum + number(kBeta) * out;
    }
    EXPECT_EQ(
        cublasZgemv(handle, opA, kM, kK, &kAlpha, a.data(), kLda, x.data(), 1, &kBeta, y.data(), 1),
        CUBLAS_STATUS_SUCCESS);
    EXPECT_EQ(numbersOf(y), expected);
  }
}

TEST_F(Blas, ComplexVectors) {
  const std::vector<cuDoubleComplex> x = {{3, 4}, {-1, 2}}, y = {{1, -1}, {2, 5}};
  cuDoubleComplex plain, conjugated;
  cublasZdotu(handle, 2, x.data(), 1, y.data(), 1, &plain);
  cublasZdotc(handle, 2, x.data(), 1, y.data(), 1, &conjugated);
  EXPECT_EQ(number(plain), Number(3, 4) * Number(1, -1) + Number(-1, 2) * Number(2, 5));
  EXPECT_EQ(number(conjugated), Number(3, -4) * Number(1, -1) + Number(-1, -2) * Number(2, 5));
  double norm = 0, sum = 0;
  cublasDznrm2(handle, 1, x.data(), 1, &norm);
  cublasDzasum(handle, 2, x.data(), 1, &sum);
  EXPECT_EQ(norm, 5);
  EXPECT_EQ(sum, 10);
  int largest = 0, smallest = 0;
  cublasIzamax(handle, 2, x.data(), 1, &largest);
  cublasIzamin(handle, 2, x.data(), 1, &smallest);
  EXPECT_EQ(largest, 1);
  EXPECT_EQ(smallest, 2);
  std::vector<cuDoubleComplex> z = y;
  cublasZaxpy(handle, 2, &kAlpha, x.data(), 1, z.data(), 1);
  EXPECT_EQ(number(z[1]), Number(2, -1) * Number(-1, 2) + Number(2, 5));
  cublasZscal(handle, 2, &kBeta, z.data(), 1);
  EXPECT_EQ(number(z[0]), Number(0, 3) * (Number(2, -1) * Number(3, 4) + Number(1, -1)));
  const double half = 0.5;
  cublasZcopy(handle, 2, x.data(), 1, z.data(), 1);
  cublasZdscal(handle, 2, &half, z.data(), 1);
  EXPECT_EQ(number(z[0]), Number(1.5, 2));
  std::vector<cuDoubleComplex> u = x, v = y;
  cublasZswap(handle, 2, u.data(), 1, v.data(), 1);
  EXPECT_EQ(numbersOf(u), numbersOf(y));
  EXPECT_EQ(numbersOf(v), numbersOf(x));
  const cuDoubleComplex sine = {0, 1};
  cublasZrot(handle, 1, u.data(), 1, v.data(), 1, &half, &sine); // u is y, v is x
  EXPECT_EQ(number(u[0]), 0.5 * Number(1, -1) + Number(0, 1) * Number(3, 4));
  EXPECT_EQ(number(v[0]), 0.5 * Number(3, 4) - Number(0, -1) * Number(1, -1));
  std::vector<cuDoubleComplex> a(2), b(2);
  cublasZgeru(handle, 1, 2, &kAlpha, x.data(), 1, y.data(), 1, a.data(), 1);
  cublasZgerc(handle, 1, 2, &kAlpha, x.data(), 1, y.data(), 1, b.data(), 1);
  EXPECT_EQ(number(a[1]), Number(2, -1) * Number(3, 4) * Number(2, 5));
  EXPECT_EQ(number(b[1]), Number(2, -1) * Number(3, 4) * Number(2, -5));
}

TEST_F(Blas, HermitianMatricesAreConjugatedAcrossTheDiagonal) {
  // By columns: [2 .; 1+i 3]; the diagonal's imaginary part and the upper triangle are not read.
  const std::vector<cuDoubleComplex> a = {{2, 99}, {1, 1}, {99, 99}, {3, 99}}, x = {{1, 0}, {0, 1}};
  std::vector<cuDoubleComplex> y(2);
  const cuDoubleComplex one = {1, 0}, zero = {0, 0};
  cublasZhemv(handle, CUBLAS_FILL_MODE_LOWER, 2, &one, a.data(), 2, x.data(), 1, &zero, y.data(),
              1);
  EXPECT_EQ(number(y[0]), 2.0 + Number(1, -1) * Number(0, 1));
  EXPECT_EQ(number(y[1]), Number(1, 1) + Number(0, 3));
  const double alpha = 2, none = 0;
  std::vector<cuDoubleComplex> c(4);
  cublasZherk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 2, 1, &alpha, x.data(), 2, &none,
              c.data(), 2);
  EXPECT_EQ(numbersOf(c), (std::vector<Number>{2, Number(0, 2), 0, 2}));
  cublasZsyrk(handle, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, 2, 1, &one, x.data(), 2, &zero, c.data(),
              2);
  EXPECT_EQ(numbersOf(c), (std::vector<Number>{1, Number(0, 1), 0, -1}));
}

TEST_F(Blas, ComplexTriangularSystemsAreSolvedFromBothSides) {
  // By columns: [i 0; 1+i 2]; divisions by these are exact.
  const std::vector<cuDoubleComplex> a = {{0, 1}, {1, 1}, {99, 99}, {2, 0}};
  const std::vector<Number> solution = {Number(1, -2), Number(3, 1)};
  const cuDoubleComplex one = {1, 0};
  for (const cublasOperation_t op : kOperations)
    for (const cublasSideMode_t side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT}) {
      const bool isLeft = side == CUBLAS_SIDE_LEFT;
      std::vector<cuDoubleComplex> b(2);
      for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 2; ++k) {
          const int row = isLeft ? i : k, column = isLeft ? k : i;
          if (op == CUBLAS_OP_N ? row < column : row > column)
            continue;
          const Number term =
              element(a, 2, op, row, column) * solution[static_cast<std::size_t>(k)];
          cuDoubleComplex &out = b[static_cast<std::size_t>(i)];
          out = {out.x + term.real(), out.y + term.imag()};
        }
      cublasZtrsm(handle, side, CUBLAS_FILL_MODE_LOWER, op, CUBLAS_DIAG_NON_UNIT, isLeft ? 2 : 1,
                  isLeft ? 1 : 2, &one, a.data(), 2, b.data(), isLeft ? 2 : 1);
      EXPECT_EQ(numbersOf(b), solution);
    }
}

TEST_F(Blas, TheFirstInterfaceHasComplexNumbers) {
  const cuComplex a[] = {{1, 2}, {3, -1}}, one = {1, 0}, zero = {0, 0};
  cuComplex c = {7, 7};
  cublasCgemm('c', 'n', 1, 1, 2, one, a, 2, a, 2, zero, &c, 1);
  EXPECT_EQ(c.x, 15);
  EXPECT_EQ(c.y, 0);
  EXPECT_EQ(cublasCdotc(2, a, 1, a, 1).x, 15);
  EXPECT_EQ(cublasScasum(2, a, 1), 7);
  EXPECT_EQ(cublasIcamax(2, a, 1), 2);
}

} // namespace
