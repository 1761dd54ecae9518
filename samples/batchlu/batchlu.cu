// SPDX-License-Identifier: Apache-2.0
// Many small stiff systems of differential equations by implicit Euler steps: a batch of dense
// matrices, factored once and solved each step. See README.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <utility>
#include <vector>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    cudaError_t status = (call);                                                                   \
    if (status != cudaSuccess) {                                                                   \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));         \
      std::exit(1);                                                                                \
    }                                                                                              \
  } while (0)

const int N = 8; // unknowns of a system
const int kThreads = 128;

// LU factors without pivoting, in place. A thread has a system.
__global__ void factor(double *a, int systems) {
  const int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= systems)
    return;
  for (int k = 0; k < N; ++k) {
    for (int row = k + 1; row < N; ++row) {
      const double share = a[(system * N + row) * N + k] / a[(system * N + k) * N + k];
      a[(system * N + row) * N + k] = share;
      for (int col = k + 1; col < N; ++col)
        a[(system * N + row) * N + col] -= share * a[(system * N + k) * N + col];
    }
  }
}

// Forward and back substitution, in place.
__global__ void solve(const double *lu, double *x, int systems) {
  const int system = blockIdx.x * blockDim.x + threadIdx.x;
  if (system >= systems)
    return;
  for (int row = 1; row < N; ++row) {
    double sum = x[system * N + row];
    for (int col = 0; col < row; ++col)
      sum -= lu[(system * N + row) * N + col] * x[system * N + col];
    x[system * N + row] = sum;
  }
  for (int row = N - 1; row >= 0; --row) {
    double sum = x[system * N + row];
    for (int col = row + 1; col < N; ++col)
      sum -= lu[(system * N + row) * N + col] * x[system * N + col];
    x[system * N + row] = sum / lu[(system * N + row) * N + row];
  }
}

struct Options {
  int systems = 600;
  int steps = 3;
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
    if (value > 0 && std::strcmp(argv[i], "--systems") == 0)
      options.systems = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      options.steps = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--systems N] [--steps N] [--seed N] [--check]\n", argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

struct Batch {
  std::vector<double> a; // I + dt (D + S) of each system
  std::vector<double> x;
};

// Damping on the diagonal, skew-symmetric coupling beside it. The symmetric part of A is positive
// definite: elimination needs no pivoting, and no solution grows.
Batch makeBatch(const Options &options) {
  std::mt19937 random(options.seed);
  auto unit = [&random] { return (double)random() / 4294967296.0; };
  Batch batch;
  batch.a.resize((std::size_t)options.systems * N * N);
  batch.x.resize((std::size_t)options.systems * N);
  for (int system = 0; system < options.systems; ++system) {
    double *a = &batch.a[(std::size_t)system * N * N];
    for (int row = 0; row < N; ++row) {
      a[row * N + row] = 1.0 + 0.2 * unit();
      for (int col = 0; col < row; ++col) {
        a[row * N + col] = 2.0 * unit() - 1.0;
        a[col * N + row] = -a[row * N + col];
      }
      batch.x[(std::size_t)system * N + row] = 2.0 * unit() - 1.0;
    }
  }
  return batch;
}

// One step of one system by Gauss-Jordan elimination with complete pivoting.
void referenceStep(const double *matrix, double *x) {
  double a[N][N + 1];
  int unknownOf[N];
  for (int row = 0; row < N; ++row) {
    std::memcpy(a[row], matrix + (std::size_t)row * N, N * sizeof(double));
    a[row][N] = x[row];
    unknownOf[row] = row;
  }
  for (int k = 0; k < N; ++k) {
    int pivotRow = k, pivotCol = k;
    for (int row = k; row < N; ++row)
      for (int col = k; col < N; ++col)
        if (std::fabs(a[row][col]) > std::fabs(a[pivotRow][pivotCol])) {
          pivotRow = row;
          pivotCol = col;
        }
    std::swap(a[k], a[pivotRow]);
    std::swap(unknownOf[k], unknownOf[pivotCol]);
    for (auto &row : a)
      std::swap(row[k], row[pivotCol]);
    for (int row = 0; row < N; ++row) {
      const double share = row == k ? 0.0 : a[row][k] / a[k][k];
      for (int col = k; col <= N; ++col)
        a[row][col] -= share * a[k][col];
    }
  }
  for (int k = 0; k < N; ++k)
    x[unknownOf[k]] = a[k][N] / a[k][k];
}

bool agreesWithReference(const Batch &batch, const std::vector<double> &result, int steps) {
  double worst = 0.0;
  const std::size_t systems = std::min<std::size_t>(result.size() / N, 1000);
  for (std::size_t system = 0; system < systems; ++system) {
    double x[N];
    std::memcpy(x, &batch.x[system * N], sizeof(x));
    for (int step = 0; step < steps; ++step)
      referenceStep(&batch.a[system * N * N], x);
    for (int row = 0; row < N; ++row) {
      const double error = std::fabs(result[system * N + row] - x[row]);
      if (!(error <= worst)) // also true for NaN
        worst = error;
    }
  }
  const bool good = worst < 1e-12;
  std::printf("check: largest difference from the reference %.1e: %s\n", worst,
              good ? "ok" : "WRONG");
  return good;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const Batch batch = makeBatch(options);
  std::vector<double> x = batch.x;
  const std::size_t matrixBytes = batch.a.size() * sizeof(double);
  const std::size_t vectorBytes = x.size() * sizeof(double);

  double *deviceA = nullptr, *deviceX = nullptr;
  CHECK(cudaMalloc(&deviceA, matrixBytes));
  CHECK(cudaMalloc(&deviceX, vectorBytes));
  CHECK(cudaMemcpy(deviceA, batch.a.data(), matrixBytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceX, x.data(), vectorBytes, cudaMemcpyHostToDevice));

  cudaEvent_t start, factored, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&factored));
  CHECK(cudaEventCreate(&stop));
  const int blocks = (options.systems + kThreads - 1) / kThreads;
  CHECK(cudaEventRecord(start));
  factor<<<blocks, kThreads>>>(deviceA, options.systems);
  CHECK(cudaEventRecord(factored));
  for (int step = 0; step < options.steps; ++step)
    solve<<<blocks, kThreads>>>(deviceA, deviceX, options.systems);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float factorMs = 0.0f, elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&factorMs, start, factored));
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  CHECK(cudaMemcpy(x.data(), deviceX, vectorBytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceX));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(factored));
  CHECK(cudaEventDestroy(stop));

  double square = 0.0;
  for (const double value : x)
    square += value * value;
  std::printf("%d systems, %d steps: norm %.9f (root mean square)\n", options.systems,
              options.steps, std::sqrt(square / options.systems));
  std::printf("kernel time: %.4f ms, of which %.4f ms to factor, %.2f M systems/s\n", elapsedMs,
              factorMs, 1e-3 * options.systems * (options.steps + 1) / elapsedMs);
  return options.check && !agreesWithReference(batch, x, options.steps) ? 1 : 0;
}
