// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients with a multigrid preconditioner, as in the HPCG benchmark: general sparse
// rows, symmetric Gauss-Seidel smoothing colour by colour. See README.md for the method.
#include "problem.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

const int kWidth = 27; // entries of a row at most
const int kThreads = 128;
const int kSumBlocks = 256;
const int kSumThreads = 256;

// A row of the matrix, filled up with entries of value 0 at its own unknown.
struct Row {
  double value[kWidth];
  double diagonal;
  int column[kWidth];
  int unknown; // whose equation this is: rows are sorted by colour, unknowns are not
};

__global__ void multiply(const Row *rows, int count, const double *x, double *y) {
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

// result = x + factor * y
__global__ void combine(const double *x, double factor, const double *y, int count,
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

int blocksFor(int count) { return (count + kThreads - 1) / kThreads; }

double innerProduct(const double *a, const double *b, int count, double *partial) {
  const int blocks = std::min(kSumBlocks, (count + kSumThreads - 1) / kSumThreads);
  sumProducts<<<blocks, kSumThreads>>>(a, b, count, partial);
  CHECK(cudaGetLastError());
  std::vector<double> sums(blocks);
  CHECK(cudaMemcpy(sums.data(), partial, blocks * sizeof(double), cudaMemcpyDeviceToHost));
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

struct Level {
  int count = 0;
  std::vector<int> first; // where each colour's rows begin
  Row *rows = nullptr;
  int *fine = nullptr; // this level's unknowns on the finer one
  double *r = nullptr, *x = nullptr, *ax = nullptr;
};

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

// Forward over the colours and back. Doing the last colour again would change nothing.
void smooth(const Level &level, const double *r, double *x) {
  const int colours = (int)level.first.size() - 1;
  for (int n = 0; n < 2 * colours - 1; ++n) {
    const int colour = n < colours ? n : 2 * colours - 2 - n;
    const int first = level.first[colour], count = level.first[colour + 1] - first;
    relax<<<blocksFor(count), kThreads>>>(level.rows, first, count, r, x);
  }
}

// One V-cycle on the equation A x = r, from x = 0.
void precondition(const std::vector<Level> &levels, std::size_t depth, const double *r, double *x) {
  const Level &level = levels[depth];
  CHECK(cudaMemsetAsync(x, 0, level.count * sizeof(double)));
  smooth(level, r, x);
  if (depth + 1 == levels.size())
    return;
  const Level &coarse = levels[depth + 1];
  multiply<<<blocksFor(level.count), kThreads>>>(level.rows, level.count, x, level.ax);
  restrictResidual<<<blocksFor(coarse.count), kThreads>>>(r, level.ax, coarse.fine, coarse.count,
                                                          coarse.r);
  precondition(levels, depth + 1, coarse.r, coarse.x);
  prolong<<<blocksFor(coarse.count), kThreads>>>(coarse.x, coarse.fine, coarse.count, x);
  smooth(level, r, x);
}

struct Options {
  int size = 16; // points along an edge of the cube
  int iterations = 8;
  unsigned seed = 1;
  bool check = false;
};

Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      options.check = true;
      continue;
    }
    int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && value % 8 == 0 && std::strcmp(argv[i], "--size") == 0)
      options.size = value;
    else if (value > 0 && std::strcmp(argv[i], "--iterations") == 0)
      options.iterations = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr,
                   "usage: %s [--size MULTIPLE-OF-8] [--iterations N] [--seed N] [--check]\n",
                   argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

// |x'My - y'Mx| for the preconditioner M and random x and y, over the size of either product.
double asymmetry(const std::vector<Level> &levels, unsigned seed, double *partial) {
  const int count = levels[0].count;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> unit(0.0, 1.0);
  double *vectors[2], *images[2];
  for (int n = 0; n < 2; ++n) {
    std::vector<double> values(count);
    for (double &value : values)
      value = unit(random);
    vectors[n] = allocateVector(count);
    images[n] = allocateVector(count);
    CHECK(cudaMemcpy(vectors[n], values.data(), count * sizeof(double), cudaMemcpyHostToDevice));
    precondition(levels, 0, vectors[n], images[n]);
  }
  const double xMy = innerProduct(vectors[0], images[1], count, partial);
  const double yMx = innerProduct(vectors[1], images[0], count, partial);
  for (int n = 0; n < 2; ++n) {
    CHECK(cudaFree(vectors[n]));
    CHECK(cudaFree(images[n]));
  }
  return std::fabs(xMy - yMx) / std::fabs(xMy);
}

// Compares with the serial solver in the order of the colours, and tells how many iterations fewer
// the natural order of the rows needs.
bool agreesWithReference(std::vector<SerialLevel> levels, const std::vector<double> &x,
                         const std::vector<double> &norms, double asymmetric) {
  const Matrix matrix = levels[0].matrix;
  const std::vector<double> b = makeRightSide(matrix);
  std::vector<double> expected;
  const int iterations = (int)norms.size();
  SerialSolver(levels).solve(b, iterations, expected);
  double worst = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double error = std::fabs(x[i] - expected[i]);
    if (!(error <= worst)) // also true for NaN
      worst = error;
  }
  std::vector<double> residual = SerialSolver::multiply(matrix, x);
  for (std::size_t i = 0; i < residual.size(); ++i)
    residual[i] -= b[i];
  const double norm =
      std::sqrt(SerialSolver::inner(residual, residual) / SerialSolver::inner(b, b));
  const bool good = worst < 1e-9 && std::fabs(norm - norms.back()) < 1e-10 && asymmetric < 1e-10;
  std::printf("check: largest difference from the serial reference %.1e, residual %.3e of %.3e, "
              "asymmetry %.1e: %s\n",
              worst, norm, norms.back(), asymmetric, good ? "ok" : "WRONG");
  for (SerialLevel &level : levels)
    std::sort(level.order.begin(), level.order.end());
  const std::vector<double> natural = SerialSolver(levels).solve(b, iterations, expected);
  const auto reached =
      std::find_if(natural.begin(), natural.end(), [&](double n) { return n <= norms.back(); });
  std::printf("check: %d iterations by colours, %d in the natural order for the same residual\n",
              iterations, (int)(reached - natural.begin()) + 1);
  return good;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  std::vector<SerialLevel> problem;
  std::vector<Level> levels;
  for (int n = 0; n < 4; ++n) {
    const int size = options.size >> n;
    SerialLevel serial;
    serial.matrix = makeMatrix(size, size, size);
    if (n > 0)
      serial.fine = makeInjection(2 * size, 2 * size, 2 * size);
    const ColouredOrder order = sortByColour(colourRows(serial.matrix));
    serial.order = order.rows;
    levels.push_back(makeLevel(serial.matrix, order, serial.fine));
    problem.push_back(std::move(serial));
  }
  const int count = levels[0].count;
  const std::vector<double> b = makeRightSide(problem[0].matrix);
  double *x = allocateVector(count), *r = allocateVector(count), *z = allocateVector(count);
  double *p = allocateVector(count), *ap = allocateVector(count);
  double *partial = allocateVector(kSumBlocks);
  CHECK(cudaMemcpy(r, b.data(), count * sizeof(double), cudaMemcpyHostToDevice));
  const double scale = std::sqrt(innerProduct(r, r, count, partial));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  std::vector<double> norms;
  double rz = 0.0;
  const int blocks = blocksFor(count);
  CHECK(cudaEventRecord(start));
  for (int n = 0; n < options.iterations; ++n) {
    precondition(levels, 0, r, z);
    const double rzBefore = rz;
    rz = innerProduct(r, z, count, partial);
    combine<<<blocks, kThreads>>>(z, n == 0 ? 0.0 : rz / rzBefore, p, count, p);
    multiply<<<blocks, kThreads>>>(levels[0].rows, count, p, ap);
    const double alpha = rz / innerProduct(p, ap, count, partial);
    combine<<<blocks, kThreads>>>(x, alpha, p, count, x);
    combine<<<blocks, kThreads>>>(r, -alpha, ap, count, r);
    norms.push_back(std::sqrt(innerProduct(r, r, count, partial)) / scale);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  std::vector<double> solution(count);
  CHECK(cudaMemcpy(solution.data(), x, count * sizeof(double), cudaMemcpyDeviceToHost));
  const double asymmetric = options.check ? asymmetry(levels, options.seed, partial) : 0.0;
  for (double *vector : {x, r, z, p, ap, partial})
    CHECK(cudaFree(vector));
  for (Level &level : levels) {
    CHECK(cudaFree(level.rows));
    CHECK(cudaFree(level.fine));
    CHECK(cudaFree(level.r));
    CHECK(cudaFree(level.x));
    CHECK(cudaFree(level.ax));
  }
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  std::vector<const Matrix *> matrices;
  for (const SerialLevel &level : problem)
    matrices.push_back(&level.matrix);
  std::printf("%d rows, %d colours, %d iterations: residual %.6e of the right-hand side\n", count,
              (int)levels[0].first.size() - 1, options.iterations, norms.back());
  std::printf("kernel time: %.4f ms, %.2f GFLOPS\n", elapsedMs,
              1e-6 * operationsPerIteration(matrices) * options.iterations / elapsedMs);
  return options.check && !agreesWithReference(problem, solution, norms, asymmetric) ? 1 : 0;
}
