// SPDX-License-Identifier: Apache-2.0
// Kernels of the solver, and the V-cycle over them.
#include "multigrid.h"

const int kThreads = 128;
const int kSumThreads = 256;

__global__ void multiplyRows(const Row *rows, int count, const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  double sum = 0.0;
  for (int k = 0; k < kWidth; ++k)
    sum += rows[i].value[k] * x[rows[i].column[k]];
  y[rows[i].unknown] = sum;
}

// Gauss-Seidel for the rows of one colour, which do not depend on each other.
__global__ void relax(const Row *rows, int first, int count, const double *r, double *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  i += first;
  int unknown = rows[i].unknown;
  double sum = r[unknown] + rows[i].diagonal * x[unknown];
  for (int k = 0; k < kWidth; ++k)
    sum -= rows[i].value[k] * x[rows[i].column[k]];
  x[unknown] = sum / rows[i].diagonal;
}

__global__ void restrictResidual(const double *r, const double *ax, const int *fine, int count,
                                 double *coarse) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    coarse[i] = r[fine[i]] - ax[fine[i]];
}

__global__ void prolong(const double *correction, const int *fine, int count, double *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    x[fine[i]] += correction[i];
}

__global__ void combineVectors(const double *x, double factor, const double *y, int count,
                               double *result) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    result[i] = x[i] + factor * y[i];
}

// Partial inner products in an order that does not depend on the machine.
__global__ void sumProducts(const double *a, const double *b, int count, double *partial) {
  __shared__ double sums[kSumThreads];
  double sum = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x)
    sum += a[i] * b[i];
  sums[threadIdx.x] = sum;
  for (int half = kSumThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    partial[blockIdx.x] = sums[0];
}

static int blocksFor(int count) { return (count + kThreads - 1) / kThreads; }

double *allocateVector(int count) {
  double *vector = nullptr;
  CHECK(cudaMalloc(&vector, count * sizeof(double)));
  CHECK(cudaMemset(vector, 0, count * sizeof(double)));
  return vector;
}

Level makeLevel(const Matrix &matrix, const ColouredOrder &order, const std::vector<int> &fine) {
  Level level;
  level.count = matrix.rows;
  level.first = order.first;
  std::vector<Row> rows(matrix.rows);
  for (int i = 0; i < matrix.rows; ++i) {
    Row &row = rows[i];
    row.unknown = order.rows[i];
    const int begin = matrix.start[row.unknown], entries = matrix.start[row.unknown + 1] - begin;
    for (int k = 0; k < kWidth; ++k) {
      row.value[k] = k < entries ? matrix.value[begin + k] : 0.0;
      row.column[k] = k < entries ? matrix.column[begin + k] : row.unknown;
      if (k < entries && row.column[k] == row.unknown)
        row.diagonal = row.value[k];
    }
  }
  CHECK(cudaMalloc(&level.rows, matrix.rows * sizeof(Row)));
  CHECK(cudaMemcpy(level.rows, rows.data(), matrix.rows * sizeof(Row), cudaMemcpyHostToDevice));
  if (!fine.empty()) {
    CHECK(cudaMalloc(&level.fine, fine.size() * sizeof(int)));
    CHECK(cudaMemcpy(level.fine, fine.data(), fine.size() * sizeof(int), cudaMemcpyHostToDevice));
  }
  level.r = allocateVector(matrix.rows);
  level.x = allocateVector(matrix.rows);
  level.ax = allocateVector(matrix.rows);
  return level;
}

void freeLevel(Level &level) {
  CHECK(cudaFree(level.rows));
  CHECK(cudaFree(level.fine));
  CHECK(cudaFree(level.r));
  CHECK(cudaFree(level.x));
  CHECK(cudaFree(level.ax));
}

void multiply(const Level &level, const double *x, double *y) {
  multiplyRows<<<blocksFor(level.count), kThreads>>>(level.rows, level.count, x, y);
  CHECK(cudaGetLastError());
}

void combine(const double *x, double factor, const double *y, int count, double *result) {
  combineVectors<<<blocksFor(count), kThreads>>>(x, factor, y, count, result);
  CHECK(cudaGetLastError());
}

double innerProduct(const double *a, const double *b, int count, double *partial) {
  const int blocks = std::min(kSumBlocks, (count + kSumThreads - 1) / kSumThreads);
  sumProducts<<<blocks, kSumThreads>>>(a, b, count, partial);
  CHECK(cudaGetLastError());
  std::vector<double> sums(blocks);
  CHECK(cudaMemcpy(sums.data(), partial, blocks * sizeof(double), cudaMemcpyDeviceToHost));
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

// Forward over the colours and back. Doing the last colour again would change nothing.
static void smooth(const Level &level, const double *r, double *x) {
  const int colours = (int)level.first.size() - 1;
  for (int n = 0; n < 2 * colours - 1; ++n) {
    const int colour = n < colours ? n : 2 * colours - 2 - n;
    const int first = level.first[colour], count = level.first[colour + 1] - first;
    relax<<<blocksFor(count), kThreads>>>(level.rows, first, count, r, x);
  }
}

void precondition(const std::vector<Level> &levels, std::size_t depth, const double *r, double *x) {
  const Level &level = levels[depth];
  CHECK(cudaMemsetAsync(x, 0, level.count * sizeof(double)));
  smooth(level, r, x);
  if (depth + 1 == levels.size())
    return;
  const Level &coarse = levels[depth + 1];
  multiply(level, x, level.ax);
  restrictResidual<<<blocksFor(coarse.count), kThreads>>>(r, level.ax, coarse.fine, coarse.count,
                                                          coarse.r);
  precondition(levels, depth + 1, coarse.r, coarse.x);
  prolong<<<blocksFor(coarse.count), kThreads>>>(coarse.x, coarse.fine, coarse.count, x);
  smooth(level, r, x);
}
