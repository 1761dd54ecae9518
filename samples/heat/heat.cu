// SPDX-License-Identifier: Apache-2.0
// Heat conduction in a block of wood, explicit steps on a 3-D grid. See README.md.
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

// D dt / dx^2 along and across the grain.
const double kAlongX = 0.08, kAlongY = 0.10, kAlongZ = 0.20;

__host__ __device__ inline int indexOf(int i, int j, int k, int ny, int nz) {
  return (i * ny + j) * nz + k;
}

// A thread has the column (i, j) and walks along k. The faces keep their temperature.
__global__ void step(const double *u, double *next, int nx, int ny, int nz) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < 1 || i >= nx - 1 || j < 1 || j >= ny - 1)
    return;
  for (int k = 1; k < nz - 1; ++k) {
    const double centre = u[indexOf(i, j, k, ny, nz)];
    const double x = u[indexOf(i - 1, j, k, ny, nz)] + u[indexOf(i + 1, j, k, ny, nz)];
    const double y = u[indexOf(i, j - 1, k, ny, nz)] + u[indexOf(i, j + 1, k, ny, nz)];
    const double z = u[indexOf(i, j, k - 1, ny, nz)] + u[indexOf(i, j, k + 1, ny, nz)];
    next[indexOf(i, j, k, ny, nz)] = centre + kAlongX * (x - 2.0 * centre) +
                                     kAlongY * (y - 2.0 * centre) + kAlongZ * (z - 2.0 * centre);
  }
}

struct Options {
  int nx = 40, ny = 36, nz = 32;
  int steps = 4;
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
    if (value > 2 && std::strcmp(argv[i], "--nx") == 0)
      options.nx = value;
    else if (value > 2 && std::strcmp(argv[i], "--ny") == 0)
      options.ny = value;
    else if (value > 2 && std::strcmp(argv[i], "--nz") == 0)
      options.nz = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      options.steps = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr,
                   "usage: %s [--nx N] [--ny N] [--nz N] [--steps N] [--seed N] [--check]\n",
                   argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

// A standing wave: half waves along each axis, and its share of the start.
struct Mode {
  int x, y, z;
  double amplitude;
};

std::vector<Mode> makeModes(unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Mode> modes;
  for (int n = 0; n < 3; ++n) {
    Mode mode;
    mode.x = 1 + (int)(random() % 5);
    mode.y = 1 + (int)(random() % 5);
    mode.z = 1 + (int)(random() % 5);
    mode.amplitude = 10.0 + (double)(random() % 1000) / 50.0;
    modes.push_back(mode);
  }
  return modes;
}

std::vector<double> halfWaves(int count, int points) {
  std::vector<double> values(points);
  for (int n = 1; n < points - 1; ++n)
    values[n] = std::sin(3.14159265358979324 * count * n / (points - 1));
  return values;
}

// What a step takes from half waves along an axis.
double damping(double along, int count, int points) {
  const double sine = std::sin(1.57079632679489662 * count / (points - 1));
  return 4.0 * along * sine * sine;
}

// The temperature after a number of steps: each mode only shrinks.
std::vector<double> temperatures(const Options &options, const std::vector<Mode> &modes,
                                 int steps) {
  const int nx = options.nx, ny = options.ny, nz = options.nz;
  std::vector<double> u((std::size_t)nx * ny * nz, 0.0);
  for (const Mode &mode : modes) {
    const std::vector<double> x = halfWaves(mode.x, nx), y = halfWaves(mode.y, ny),
                              z = halfWaves(mode.z, nz);
    const double factor = 1.0 - damping(kAlongX, mode.x, nx) - damping(kAlongY, mode.y, ny) -
                          damping(kAlongZ, mode.z, nz);
    const double amplitude = mode.amplitude * std::pow(factor, steps);
    for (int i = 0; i < nx; ++i)
      for (int j = 0; j < ny; ++j)
        for (int k = 0; k < nz; ++k)
          u[indexOf(i, j, k, ny, nz)] += amplitude * x[i] * y[j] * z[k];
  }
  return u;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const int nx = options.nx, ny = options.ny, nz = options.nz;
  const std::vector<Mode> modes = makeModes(options.seed);
  std::vector<double> u = temperatures(options, modes, 0);
  const std::size_t bytes = u.size() * sizeof(double);

  double *deviceU = nullptr, *deviceNext = nullptr;
  CHECK(cudaMalloc(&deviceU, bytes));
  CHECK(cudaMalloc(&deviceNext, bytes));
  CHECK(cudaMemcpy(deviceU, u.data(), bytes, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceNext, u.data(), bytes, cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const dim3 threads(32, 8);
  const dim3 blocks((nx + threads.x - 1) / threads.x, (ny + threads.y - 1) / threads.y);
  CHECK(cudaEventRecord(start));
  for (int n = 0; n < options.steps; ++n) {
    step<<<blocks, threads>>>(deviceU, deviceNext, nx, ny, nz);
    std::swap(deviceU, deviceNext);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  CHECK(cudaMemcpy(u.data(), deviceU, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceU));
  CHECK(cudaFree(deviceNext));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  double energy = 0.0;
  for (const double value : u)
    energy += value * value;
  const double updates = double(nx - 2) * (ny - 2) * (nz - 2) * options.steps;
  std::printf("%d x %d x %d points, %d steps: temperature %.9f K (root mean square)\n", nx, ny, nz,
              options.steps, std::sqrt(energy / (double)u.size()));
  std::printf("kernel time: %.4f ms, %.2f G updates/s, %.1f useful GB/s\n", elapsedMs,
              1e-6 * updates / elapsedMs, 1e-6 * 16 * updates / elapsedMs);
  if (!options.check)
    return 0;
  const std::vector<double> expected = temperatures(options, modes, options.steps);
  double worst = 0.0;
  for (std::size_t at = 0; at < u.size(); ++at) {
    const double error = std::fabs(u[at] - expected[at]);
    if (!(error <= worst)) // also true for NaN
      worst = error;
  }
  const bool good = worst < 1e-12 * (options.steps + 10);
  std::printf("check: largest difference from the closed form %.1e K: %s\n", worst,
              good ? "ok" : "WRONG");
  return good ? 0 : 1;
}
