// SPDX-License-Identifier: Apache-2.0
// Conjugate gradients with a multigrid preconditioner, as in the HPCG benchmark: general sparse
// rows, symmetric Gauss-Seidel smoothing colour by colour. See README.md for the method;
// multigrid.cu has the kernels.
#include "multigrid.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

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

// Compares with the serial solver in the order of the colours, requires the coarser grids to be of
// use, and tells how many iterations fewer the natural order of the rows needs.
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
  // A lost correction would go unnoticed above, as the reference loses it as well.
  const double alone = SerialSolver(levels, false).solve(b, iterations, expected).back();
  const bool good = worst < 1e-9 && std::fabs(norm - norms.back()) < 1e-10 && asymmetric < 1e-10 &&
                    norms.back() < alone;
  std::printf("check: largest difference from the serial reference %.1e, residual %.3e of %.3e, "
              "%.3e without coarser grids, asymmetry %.1e: %s\n",
              worst, norm, norms.back(), alone, asymmetric, good ? "ok" : "WRONG");
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
  CHECK(cudaEventRecord(start));
  for (int n = 0; n < options.iterations; ++n) {
    precondition(levels, 0, r, z);
    const double rzBefore = rz;
    rz = innerProduct(r, z, count, partial);
    combine(z, n == 0 ? 0.0 : rz / rzBefore, p, count, p);
    multiply(levels[0], p, ap);
    const double alpha = rz / innerProduct(p, ap, count, partial);
    combine(x, alpha, p, count, x);
    combine(r, -alpha, ap, count, r);
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
  for (Level &level : levels)
    freeLevel(level);
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
