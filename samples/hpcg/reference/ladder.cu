// SPDX-License-Identifier: Apache-2.0
// HPCG's solver tuned by hand, step by step, after Doi and Okuno. See ../README.md for the steps.
#include "../problem.h"
#include "coloured_groups.cuh"
#include "coloured_rows.cuh"
#include "device_array.cuh"

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

const int kSumBlocks = 256;
const int kSumThreads = 256;

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

__global__ void combine(const double *x, double factor, const double *y, int count,
                        double *result) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    result[i] = x[i] + factor * y[i];
}

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

double innerProduct(const double *a, const double *b, int count, double *partial) {
  sumProducts<<<kSumBlocks, kSumThreads>>>(a, b, count, partial);
  std::array<double, kSumBlocks> sums;
  CHECK(cudaMemcpy(sums.data(), partial, sizeof sums, cudaMemcpyDeviceToHost));
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

template <class Operator> class Solver {
public:
  explicit Solver(const std::vector<SerialLevel> &problem) : partial_(kSumBlocks) {
    for (const SerialLevel &level : problem)
      levels_.push_back({level.matrix.rows, Operator(level.matrix), Array<int>(level.fine),
                         Array<double>(level.matrix.rows), Array<double>(level.matrix.rows),
                         Array<double>(level.matrix.rows)});
  }

  struct Result {
    int iterations = 0;
    double residual = 1.0, largestError = 0.0; // the solution is all ones
    float elapsedMs = 0.0f;
  };

  Result solve(const std::vector<double> &b, double target, int most) {
    const int count = levels_[0].count, blocks = blocksFor(count);
    Array<double> x(count), r(b), z(count), p(count), ap(count);
    const double scale = std::sqrt(innerProduct(r.get(), r.get(), count, partial_.get()));
    cudaEvent_t start, stop;
    CHECK(cudaEventCreate(&start));
    CHECK(cudaEventCreate(&stop));
    Result result;
    double rz = 0.0;
    CHECK(cudaEventRecord(start));
    while (result.iterations < most && result.residual > target) {
      precondition(0, r.get(), z.get());
      const double before = rz;
      rz = innerProduct(r.get(), z.get(), count, partial_.get());
      combine<<<blocks, kThreads>>>(z.get(), result.iterations ? rz / before : 0.0, p.get(), count,
                                    p.get());
      levels_[0].matrix.multiply(p.get(), ap.get());
      const double alpha = rz / innerProduct(p.get(), ap.get(), count, partial_.get());
      combine<<<blocks, kThreads>>>(x.get(), alpha, p.get(), count, x.get());
      combine<<<blocks, kThreads>>>(r.get(), -alpha, ap.get(), count, r.get());
      result.residual = std::sqrt(innerProduct(r.get(), r.get(), count, partial_.get())) / scale;
      ++result.iterations;
    }
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    CHECK(cudaEventElapsedTime(&result.elapsedMs, start, stop));
    CHECK(cudaEventDestroy(start));
    CHECK(cudaEventDestroy(stop));
    std::vector<double> solution(count);
    CHECK(cudaMemcpy(solution.data(), x.get(), count * sizeof(double), cudaMemcpyDeviceToHost));
    for (double value : solution)
      if (!(std::fabs(value - 1.0) <= result.largestError)) // also true for NaN
        result.largestError = std::fabs(value - 1.0);
    return result;
  }

private:
  struct Level {
    int count;
    Operator matrix;
    Array<int> fine;
    Array<double> r, x, ax;
  };

  void precondition(std::size_t depth, const double *r, double *x) {
    const Level &level = levels_[depth];
    CHECK(cudaMemsetAsync(x, 0, level.count * sizeof(double)));
    level.matrix.smooth(r, x);
    if (depth + 1 == levels_.size())
      return;
    const Level &coarse = levels_[depth + 1];
    level.matrix.multiply(x, level.ax.get());
    restrictResidual<<<blocksFor(coarse.count), kThreads>>>(r, level.ax.get(), coarse.fine.get(),
                                                            coarse.count, coarse.r.get());
    precondition(depth + 1, coarse.r.get(), coarse.x.get());
    prolong<<<blocksFor(coarse.count), kThreads>>>(coarse.x.get(), coarse.fine.get(), coarse.count,
                                                   x);
    level.matrix.smooth(r, x);
  }

  std::vector<Level> levels_;
  Array<double> partial_;
};

template <class Operator>
bool run(const char *name, const std::vector<SerialLevel> &problem, double target) {
  Solver<Operator> solver(problem);
  const std::vector<double> b = makeRightSide(problem[0].matrix);
  const int most = 500;
  solver.solve(b, 0.0, 2); // loads the kernels
  const auto result = solver.solve(b, target, most);
  std::vector<const Matrix *> matrices;
  for (const SerialLevel &level : problem)
    matrices.push_back(&level.matrix);
  const bool good = result.iterations < most && result.largestError < 1e4 * target + 1e-9;
  std::printf("%-13s %3d iterations %10.4f ms, %8.4f ms each, %8.2f GFLOPS  largest error %.1e%s\n",
              name, result.iterations, result.elapsedMs, result.elapsedMs / result.iterations,
              1e-6 * operationsPerIteration(matrices) * result.iterations / result.elapsedMs,
              result.largestError, good ? "" : " WRONG");
  return good;
}

int main(int argc, char **argv) {
  int size = 64, iterations = 50;
  double target = 0.0;
  for (int i = 1; i < argc; i += 2) {
    const double value = i + 1 < argc ? std::atof(argv[i + 1]) : 0.0;
    if (value > 0 && (int)value % 8 == 0 && std::strcmp(argv[i], "--size") == 0)
      size = (int)value;
    else if (value > 0 && std::strcmp(argv[i], "--iterations") == 0)
      iterations = (int)value;
    else if (value > 0 && std::strcmp(argv[i], "--target") == 0)
      target = value;
    else {
      std::fprintf(stderr,
                   "usage: %s [--size MULTIPLE-OF-8] [--iterations N] [--target RESIDUAL]\n",
                   argv[0]);
      return 2;
    }
  }
  std::vector<SerialLevel> problem;
  for (int n = 0; n < 4; ++n) {
    SerialLevel level;
    level.matrix = makeMatrix(size >> n, size >> n, size >> n);
    level.order.resize(level.matrix.rows);
    std::iota(level.order.begin(), level.order.end(), 0);
    if (n > 0)
      level.fine = makeInjection(2 * (size >> n), 2 * (size >> n), 2 * (size >> n));
    problem.push_back(std::move(level));
  }
  if (target == 0.0) {
    std::vector<double> x;
    target = SerialSolver(problem).solve(makeRightSide(problem[0].matrix), iterations, x).back();
    std::printf("%d^3 points: serial residual %.6e after %d iterations\n", size, target,
                iterations);
  } else {
    std::printf("%d^3 points to the residual %.6e\n", size, target);
  }
  bool good = run<ColouredRows<false>>("ell", problem, target);
  good = run<ColouredRows<true>>("transposed", problem, target) && good;
  good = run<ColouredGroups>("hierarchical", problem, target) && good;
  return good ? 0 : 1;
}
