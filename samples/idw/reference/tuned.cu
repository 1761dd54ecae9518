// SPDX-License-Identifier: Apache-2.0
// The interpolation of ../idw.cu tuned by hand: structure of arrays, and aligned records through
// shared memory. See ../README.md.
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

const int kThreads = 256; // of a block, and stations of a tile

// Only what the interpolation needs, read as one load.
struct __align__(16) Station {
  float x, y, temperature, unused;
};

struct Stations {
  const float *x, *y, *temperature;
};

struct Queries {
  const float *x, *y;
  float *temperature, *weightSum;
};

struct Sums {
  float weighted = 0.0f, weights = 0.0f;
  __device__ void add(float dx, float dy, float temperature) {
    float weight = 1.0f / (dx * dx + dy * dy + 1e-6f);
    weighted += weight * temperature;
    weights += weight;
  }
};

__global__ void interpolateArrays(Stations stations, int stationCount, Queries queries,
                                  int queryCount) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queryCount)
    return;
  const float x = queries.x[q], y = queries.y[q];
  Sums sums;
  for (int s = 0; s < stationCount; ++s)
    sums.add(x - stations.x[s], y - stations.y[s], stations.temperature[s]);
  queries.temperature[q] = sums.weighted / sums.weights;
  queries.weightSum[q] = sums.weights;
}

__global__ void interpolateAligned(const Station *stations, int stationCount, Queries queries,
                                   int queryCount) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queryCount)
    return;
  const float x = queries.x[q], y = queries.y[q];
  Sums sums;
  for (int s = 0; s < stationCount; ++s) {
    const Station station = stations[s];
    sums.add(x - station.x, y - station.y, station.temperature);
  }
  queries.temperature[q] = sums.weighted / sums.weights;
  queries.weightSum[q] = sums.weights;
}

__global__ void interpolateTiles(const Station *stations, int stationCount, Queries queries,
                                 int queryCount) {
  __shared__ Station tile[kThreads];
  const int q = blockIdx.x * kThreads + threadIdx.x;
  const bool active = q < queryCount;
  const float x = active ? queries.x[q] : 0.0f, y = active ? queries.y[q] : 0.0f;
  Sums sums;
  int first = 0;
  for (; first + kThreads <= stationCount; first += kThreads) {
    __syncthreads();
    tile[threadIdx.x] = stations[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int s = 0; s < kThreads; ++s)
      sums.add(x - tile[s].x, y - tile[s].y, tile[s].temperature);
  }
  for (; first < stationCount; ++first)
    sums.add(x - stations[first].x, y - stations[first].y, stations[first].temperature);
  if (active) {
    queries.temperature[q] = sums.weighted / sums.weights;
    queries.weightSum[q] = sums.weights;
  }
}

template <class T> T *toDevice(const std::vector<T> &values) {
  T *device = nullptr;
  CHECK(cudaMalloc(&device, values.size() * sizeof(T)));
  CHECK(cudaMemcpy(device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return device;
}

int main(int argc, char **argv) {
  int stationCount = 2048, queryCount = 4096, repeats = 1;
  unsigned seed = 1;
  for (int i = 1; i < argc; i += 2) {
    const int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--stations") == 0)
      stationCount = value;
    else if (value > 0 && std::strcmp(argv[i], "--queries") == 0)
      queryCount = value;
    else if (value > 0 && std::strcmp(argv[i], "--repeats") == 0)
      repeats = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr, "usage: %s [--stations N] [--queries N] [--repeats N] [--seed N]\n",
                   argv[0]);
      return 2;
    }
  }
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> position(0.0f, 100.0f), unit(0.0f, 1.0f);
  std::vector<Station> stations(stationCount);
  std::vector<float> columns[3], queryX(queryCount), queryY(queryCount);
  for (Station &station : stations) {
    station.x = position(random);
    station.y = position(random);
    station.temperature = 25.0f - 5.2f * unit(random) + 0.05f * station.y;
    columns[0].push_back(station.x);
    columns[1].push_back(station.y);
    columns[2].push_back(station.temperature);
  }
  for (int q = 0; q < queryCount; ++q) {
    queryX[q] = position(random);
    queryY[q] = position(random);
  }
  const Stations arrays = {toDevice(columns[0]), toDevice(columns[1]), toDevice(columns[2])};
  const Station *records = toDevice(stations);
  const std::vector<float> zeros(queryCount, 0.0f);
  const Queries queries = {toDevice(queryX), toDevice(queryY), toDevice(zeros), toDevice(zeros)};

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const int blocks = (queryCount + kThreads - 1) / kThreads;
  bool good = true;
  auto run = [&](const char *name, auto kernel, auto source) {
    CHECK(cudaMemset(queries.temperature, 0, queryCount * sizeof(float)));
    kernel<<<blocks, kThreads>>>(source, stationCount, queries, queryCount);
    CHECK(cudaEventRecord(start));
    for (int n = 0; n < repeats; ++n)
      kernel<<<blocks, kThreads>>>(source, stationCount, queries, queryCount);
    CHECK(cudaGetLastError());
    CHECK(cudaEventRecord(stop));
    CHECK(cudaEventSynchronize(stop));
    float ms = 0.0f;
    CHECK(cudaEventElapsedTime(&ms, start, stop));
    ms /= repeats;
    std::vector<float> result(queryCount);
    CHECK(cudaMemcpy(result.data(), queries.temperature, queryCount * sizeof(float),
                     cudaMemcpyDeviceToHost));
    double worst = 0.0;
    for (int q = 0; q < queryCount && q < 256; ++q) {
      double weighted = 0.0, weights = 0.0;
      for (const Station &station : stations) {
        const double dx = double(queryX[q]) - station.x, dy = double(queryY[q]) - station.y;
        const double weight = 1.0 / (dx * dx + dy * dy + 1e-6);
        weighted += weight * station.temperature;
        weights += weight;
      }
      const double error = std::fabs(result[q] - weighted / weights);
      if (!(error <= worst)) // also true for NaN
        worst = error;
    }
    const bool right = worst < 1e-2;
    good = good && right;
    std::printf("%-8s kernel time: %.4f ms, %.2f G interactions/s, largest error %.1e: %s\n", name,
                ms, 1e-6 * stationCount * queryCount / ms, worst, right ? "ok" : "WRONG");
  };
  run("soa", interpolateArrays, arrays);
  run("aligned", interpolateAligned, records);
  run("tiles", interpolateTiles, records);
  return good ? 0 : 1;
}
