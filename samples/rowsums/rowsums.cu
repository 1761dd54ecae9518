// SPDX-License-Identifier: Apache-2.0
// From counts of transitions to the transposed matrix of their probabilities: two kernels that
// textbooks teach coalescing with. See README.md.
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

// A thread has a row.
__global__ void rowSums(const float *a, float *sums, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows)
    return;
  float sum = 0.0f;
  for (int column = 0; column < columns; ++column)
    sum += a[row * columns + column];
  sums[row] = sum;
}

// A thread has an element: writes of a warp are adjacent, its reads are not.
__global__ void transpose(const float *a, const float *sums, float *transposed, int rows,
                          int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns)
    return;
  transposed[column * rows + row] = a[row * columns + column] / sums[row];
}

struct Options {
  int rows = 200;
  int columns = 90;
  int repeats = 1;
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
    if (value > 0 && std::strcmp(argv[i], "--rows") == 0)
      options.rows = value;
    else if (value > 0 && std::strcmp(argv[i], "--columns") == 0)
      options.columns = value;
    else if (value > 0 && std::strcmp(argv[i], "--repeats") == 0)
      options.repeats = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr,
                   "usage: %s [--rows N] [--columns N] [--repeats N] [--seed N] [--check]\n",
                   argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

bool agreesWithReference(const std::vector<float> &a, const std::vector<float> &transposed,
                         int rows, int columns) {
  double worst = 0.0;
  for (int row = 0; row < rows; ++row) {
    double sum = 0.0;
    for (int column = 0; column < columns; ++column)
      sum += a[(std::size_t)row * columns + column];
    for (int column = 0; column < columns; ++column) {
      const double expected = a[(std::size_t)row * columns + column] / sum;
      const double error = std::fabs(transposed[(std::size_t)column * rows + row] - expected);
      if (!(error * columns <= worst)) // also true for NaN
        worst = error * columns;
    }
  }
  const bool good = worst < 2e-5;
  std::printf("check: largest error %.1e of the mean probability: %s\n", worst,
              good ? "ok" : "WRONG");
  return good;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const int rows = options.rows, columns = options.columns;
  std::mt19937 random(options.seed);
  std::vector<float> a((std::size_t)rows * columns);
  for (float &count : a)
    count = (float)(random() % 16);
  for (int row = 0; row < rows; ++row)
    a[(std::size_t)row * columns] += 1.0f; // no row is empty
  std::vector<float> transposed(a.size());
  const std::size_t bytes = a.size() * sizeof(float);

  float *deviceA = nullptr, *deviceSums = nullptr, *deviceTransposed = nullptr;
  CHECK(cudaMalloc(&deviceA, bytes));
  CHECK(cudaMalloc(&deviceSums, rows * sizeof(float)));
  CHECK(cudaMalloc(&deviceTransposed, bytes));
  CHECK(cudaMemcpy(deviceA, a.data(), bytes, cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const int threads = 128;
  const dim3 block(32, 8);
  const dim3 grid((rows + block.x - 1) / block.x, (columns + block.y - 1) / block.y);
  CHECK(cudaEventRecord(start));
  for (int n = 0; n < options.repeats; ++n) {
    rowSums<<<(rows + threads - 1) / threads, threads>>>(deviceA, deviceSums, rows, columns);
    transpose<<<grid, block>>>(deviceA, deviceSums, deviceTransposed, rows, columns);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  CHECK(cudaMemcpy(transposed.data(), deviceTransposed, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceA));
  CHECK(cudaFree(deviceSums));
  CHECK(cudaFree(deviceTransposed));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  double stays = 0.0; // probability, on the diagonal
  for (int n = 0; n < rows && n < columns; ++n)
    stays += transposed[(std::size_t)n * rows + n];
  const double elements = (double)a.size() * options.repeats;
  std::printf("%d x %d elements: trace %.6f\n", rows, columns, stays);
  std::printf("kernel time: %.4f ms, %.2f G elements/s, %.1f useful GB/s\n", elapsedMs,
              1e-6 * elements / elapsedMs, 1e-6 * 12 * elements / elapsedMs);
  return options.check && !agreesWithReference(a, transposed, rows, columns) ? 1 : 0;
}
