// SPDX-License-Identifier: Apache-2.0
// Buoys drift along a channel: every step streams over all of them and touches two of eight fields.
// See README.md.
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

struct Buoy {
  float position; // along the channel, m
  float width;    // across the channel, m
  float draught;  // m
  float mass;     // kg
  float drag;     // 1/s
  float current;  // speed of the water around it, m/s
  float salinity; // g/kg
  int id;
};

__global__ void drift(Buoy *buoys, int count, float length, float timeStep) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count)
    return;
  float position = buoys[i].position + timeStep * buoys[i].current;
  buoys[i].position = position < length ? position : position - length;
}

struct Options {
  int buoys = 65536;
  int steps = 20;
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
    if (value > 0 && std::strcmp(argv[i], "--buoys") == 0)
      options.buoys = value;
    else if (value > 0 && std::strcmp(argv[i], "--steps") == 0)
      options.steps = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--buoys N] [--steps N] [--seed N] [--check]\n", argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

int main(int argc, char **argv) {
  const Options options = parseOptions(argc, argv);
  const float length = 1000.0f, timeStep = 0.5f;
  std::mt19937 random(options.seed);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  std::vector<Buoy> buoys(options.buoys);
  for (int i = 0; i < options.buoys; ++i)
    buoys[i] = {length * unit(random),
                30.0f * unit(random),
                unit(random),
                50.0f,
                0.1f,
                0.2f + unit(random),
                35.0f,
                i};
  const std::vector<Buoy> initial = buoys;

  Buoy *deviceBuoys = nullptr;
  const size_t bytes = buoys.size() * sizeof(Buoy);
  CHECK(cudaMalloc(&deviceBuoys, bytes));
  CHECK(cudaMemcpy(deviceBuoys, buoys.data(), bytes, cudaMemcpyHostToDevice));
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const int threads = 256;
  const int blocks = (options.buoys + threads - 1) / threads;
  CHECK(cudaEventRecord(start));
  for (int step = 0; step < options.steps; ++step)
    drift<<<blocks, threads>>>(deviceBuoys, options.buoys, length, timeStep);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  CHECK(cudaMemcpy(buoys.data(), deviceBuoys, bytes, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceBuoys));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  double mean = 0.0;
  for (const Buoy &buoy : buoys)
    mean += buoy.position;
  std::printf("%d buoys, %d steps: mean position %.3f m\n", options.buoys, options.steps,
              mean / options.buoys);
  std::printf("kernel time: %.4f ms, %.2f G updates/s\n", elapsedMs,
              1e-6 * options.buoys * options.steps / elapsedMs);
  if (!options.check)
    return 0;
  double worst = 0.0;
  for (int i = 0; i < options.buoys; ++i) {
    double expected =
        std::fmod(initial[i].position + double(timeStep) * options.steps * initial[i].current,
                  double(length));
    double error = std::fabs(buoys[i].position - expected);
    error = std::fmin(error, length - error); // the channel's ends meet
    if (!(error <= worst))                    // also true for NaN
      worst = error;
  }
  const bool good = worst < 1e-4 * options.steps;
  std::printf("check: largest distance from the closed form %.2e m: %s\n", worst,
              good ? "ok" : "WRONG");
  return good ? 0 : 1;
}
