// SPDX-License-Identifier: Apache-2.0
// Heat conduction in many rods, implicit in time: a thread solves the tridiagonal system of one
// rod. See README.md for the equations.
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

// One implicit step of every rod by elimination without pivoting (Thomas).
__global__ void step(const double *lower, const double *diagonal, const double *upper,
                     double *ratio, double *temperature, int rods, int cells) {
  const int rod = blockIdx.x * blockDim.x + threadIdx.x;
  if (rod >= rods)
    return;
  const int first = rod * cells;
  ratio[first] = upper[first] / diagonal[first];
  temperature[first] /= diagonal[first];
  for (int cell = 1; cell < cells; ++cell) {
    const int i = first + cell;
    const double pivot = diagonal[i] - lower[i] * ratio[i - 1];
    ratio[i] = upper[i] / pivot;
    temperature[i] = (temperature[i] - lower[i] * temperature[i - 1]) / pivot;
  }
  for (int cell = cells - 2; cell >= 0; --cell)
    temperature[first + cell] -= ratio[first + cell] * temperature[first + cell + 1];
}

struct Options {
  int rods = 600;
  int cells = 48;
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
    if (value > 0 && std::strcmp(argv[i], "--rods") == 0)
      options.rods = value;
    else if (value > 1 && std::strcmp(argv[i], "--cells") == 0)
      options.cells = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      options.steps = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--rods N] [--cells N] [--steps N] [--seed N] [--check]\n",
                   argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

// Rods of layers that conduct differently; their ends are insulated.
struct Rods {
  std::vector<double> lower, diagonal, upper;
  std::vector<double> temperature;
};

Rods makeRods(const Options &options) {
  std::mt19937 random(options.seed);
  auto unit = [&random] { return (double)random() / 4294967296.0; };
  const std::size_t cells = options.cells, count = options.rods * cells;
  Rods rods;
  for (std::vector<double> *values : {&rods.lower, &rods.diagonal, &rods.upper, &rods.temperature})
    values->resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const bool isFirst = i % cells == 0, isLast = i % cells + 1 == cells;
    rods.lower[i] = isFirst ? 0.0 : rods.upper[i - 1];
    rods.upper[i] = isLast ? 0.0 : -(0.1 + 4.0 * unit());
    rods.diagonal[i] = 1.0 - rods.lower[i] - rods.upper[i];
    rods.temperature[i] = 300.0 + 100.0 * unit();
  }
  return rods;
}

// Elimination from the other end, in double precision as well.
void referenceStep(const Rods &rods, std::size_t first, std::size_t cells, double *temperature) {
  std::vector<double> share(cells);
  for (std::size_t c = cells; c-- > 0;) {
    const std::size_t i = first + c;
    const bool isLast = c + 1 == cells;
    const double pivot = rods.diagonal[i] - (isLast ? 0.0 : rods.upper[i] * share[c + 1]);
    share[c] = rods.lower[i] / pivot;
    temperature[c] = (temperature[c] - (isLast ? 0.0 : rods.upper[i] * temperature[c + 1])) / pivot;
  }
  for (std::size_t c = 1; c < cells; ++c)
    temperature[c] -= share[c] * temperature[c - 1];
}

bool agreesWithReference(const Rods &rods, const std::vector<double> &result,
                         const Options &options) {
  double worst = 0.0;
  const std::size_t cells = options.cells;
  for (std::size_t rod = 0; rod < (std::size_t)options.rods && rod < 1000; ++rod) {
    std::vector<double> expected(&rods.temperature[rod * cells],
                                 &rods.temperature[rod * cells] + cells);
    for (int n = 0; n < options.steps; ++n)
      referenceStep(rods, rod * cells, cells, expected.data());
    for (std::size_t c = 0; c < cells; ++c) {
      const double error = std::fabs(result[rod * cells + c] - expected[c]);
      if (!(error <= worst)) // also true for NaN
        worst = error;
    }
  }
  const bool good = worst < 1e-9;
  std::printf("check: largest difference from the reference %.1e K: %s\n", worst,
              good ? "ok" : "WRONG");
  return good;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const int rodCount = options.rods, cells = options.cells;
  const Rods rods = makeRods(options);
  std::vector<double> temperature = rods.temperature;
  const std::size_t bytes = temperature.size() * sizeof(double);

  double *lower, *diagonal, *upper, *ratio, *deviceTemperature;
  CHECK(cudaMalloc(&lower, bytes));
  CHECK(cudaMalloc(&diagonal, bytes));
  CHECK(cudaMalloc(&upper, bytes));
  CHECK(cudaMalloc(&ratio, bytes));
  CHECK(cudaMalloc(&deviceTemperature, bytes));
  CHECK(cudaMemcpy(lower, rods.lower.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(diagonal, rods.diagonal.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(upper, rods.upper.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceTemperature, temperature.data(), bytes, cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const int threads = 128;
  CHECK(cudaEventRecord(start));
  for (int n = 0; n < options.steps; ++n)
    step<<<(rodCount + threads - 1) / threads, threads>>>(lower, diagonal, upper, ratio,
                                                          deviceTemperature, rodCount, cells);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  CHECK(cudaMemcpy(temperature.data(), deviceTemperature, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(lower));
  CHECK(cudaFree(diagonal));
  CHECK(cudaFree(upper));
  CHECK(cudaFree(ratio));
  CHECK(cudaFree(deviceTemperature));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  double sum = 0.0;
  for (const double value : temperature)
    sum += value;
  std::printf("%d rods of %d cells, %d steps: mean temperature %.9f K\n", rodCount, cells,
              options.steps, sum / temperature.size());
  std::printf("kernel time: %.4f ms, %.2f M cells/s\n", elapsedMs,
              1e-3 * temperature.size() * options.steps / elapsedMs);
  return options.check && !agreesWithReference(rods, temperature, options) ? 1 : 0;
}
