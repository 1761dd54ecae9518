// SPDX-License-Identifier: Apache-2.0
// The interpolations of ../idw.cu tuned by hand: structure of arrays, aligned records, and these
// through shared memory. See ../README.md.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numeric>
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
const int kNearest = 10;  // stations whose distances tell how dense they lie around a query

// Only what the interpolation needs, read as one load.
struct __align__(16) Station {
  float x, y, temperature, unused;
};

struct Queries {
  const float *x, *y;
  float *temperature, *weightSum;
};

// The layouts: each hands x, y and temperature of all stations to visit, one after the other.
struct Arrays {
  const float *x, *y, *temperature;
  template <class Visit> __device__ void forEach(int count, Visit visit) const {
    for (int s = 0; s < count; ++s)
      visit(x[s], y[s], temperature[s]);
  }
};

struct Records {
  const Station *stations;
  template <class Visit> __device__ void forEach(int count, Visit visit) const {
    for (int s = 0; s < count; ++s) {
      const Station station = stations[s];
      visit(station.x, station.y, station.temperature);
    }
  }
};

// A block's threads have to come here together.
struct Tiles {
  const Station *stations;
  template <class Visit> __device__ void forEach(int count, Visit visit) const {
    __shared__ Station tile[kThreads];
    int first = 0;
    for (; first + kThreads <= count; first += kThreads) {
      __syncthreads();
      tile[threadIdx.x] = stations[first + threadIdx.x];
      __syncthreads();
#pragma unroll 8
      for (int s = 0; s < kThreads; ++s)
        visit(tile[s].x, tile[s].y, tile[s].temperature);
    }
    for (; first < count; ++first)
      visit(stations[first].x, stations[first].y, stations[first].temperature);
  }
};

// The power of the distance for the mean distance of the nearest stations over the expected one:
// see
// ../README.md.
__device__ inline float powerFor(float ratio) {
  const float sparse = ratio < 2.0f ? 0.5f - 0.5f * cosf(1.57079633f * ratio) : 1.0f;
  const float position = fminf(fmaxf(5.0f * (sparse - 0.1f), 0.0f), 4.0f);
  return position < 1.0f ? 0.5f + 0.5f * position : position;
}

template <class Stations>
__device__ float adaptedPower(Stations stations, int stationCount, float area, float x, float y) {
  float nearest[kNearest]; // squared distances, ascending
#pragma unroll
  for (int n = 0; n < kNearest; ++n)
    nearest[n] = 1e30f;
  stations.forEach(stationCount, [&](float sx, float sy, float) {
    float moved = (x - sx) * (x - sx) + (y - sy) * (y - sy);
#pragma unroll
    for (int n = 0; n < kNearest; ++n) {
      const float smaller = fminf(nearest[n], moved);
      moved = fmaxf(nearest[n], moved);
      nearest[n] = smaller;
    }
  });
  const int found = stationCount < kNearest ? stationCount : kNearest;
  float distances = 0.0f;
#pragma unroll
  for (int n = 0; n < kNearest; ++n)
    if (n < found)
      distances += sqrtf(nearest[n]);
  return powerFor(2.0f * sqrtf(stationCount / area) * distances / found);
}

template <bool kAdaptive, class Stations>
__global__ void interpolate(Stations stations, int stationCount, float area, Queries queries,
                            int queryCount) {
  const int q = blockIdx.x * kThreads + threadIdx.x;
  const bool active = q < queryCount;
  const float x = active ? queries.x[q] : 0.0f, y = active ? queries.y[q] : 0.0f;
  float exponent = 0.0f;
  if (kAdaptive)
    exponent = -0.5f * adaptedPower(stations, stationCount, area, x, y);
  float weighted = 0.0f, weights = 0.0f;
  stations.forEach(stationCount, [&](float sx, float sy, float temperature) {
    const float dx = x - sx, dy = y - sy;
    const float squared = dx * dx + dy * dy + 1e-6f;
    const float weight = kAdaptive ? powf(squared, exponent) : 1.0f / squared;
    weighted += weight * temperature;
    weights += weight;
  });
  if (active) {
    queries.temperature[q] = weighted / weights;
    queries.weightSum[q] = weights;
  }
}

const float kEdge = 100.0f; // of the square the stations stand in, km

// Half the power of the distance in double precision.
double referenceHalfPower(const std::vector<Station> &stations, double x, double y, bool adaptive) {
  if (!adaptive)
    return 1.0;
  std::vector<double> distances;
  for (const Station &station : stations)
    distances.push_back(std::hypot(x - station.x, y - station.y));
  std::sort(distances.begin(), distances.end());
  distances.resize(std::min<std::size_t>(distances.size(), kNearest));
  const double mean = std::accumulate(distances.begin(), distances.end(), 0.0) / distances.size();
  const double ratio = mean / (0.5 * kEdge / std::sqrt((double)stations.size()));
  const double sparse = 0.5 * (1.0 - std::cos(0.5 * std::acos(-1.0) * std::min(ratio, 2.0)));
  double power = 0.5;
  for (int n = 0; n < 4; ++n) // steeper by a half, then by one, from level to level
    power += (n == 0 ? 0.5 : 1.0) * std::min(std::max((sparse - 0.1 - 0.2 * n) / 0.2, 0.0), 1.0);
  return 0.5 * power;
}

double referenceTemperature(const std::vector<Station> &stations, double x, double y,
                            bool adaptive) {
  const double halfPower = referenceHalfPower(stations, x, y, adaptive);
  double weighted = 0.0, weights = 0.0;
  for (const Station &station : stations) {
    const double dx = x - station.x, dy = y - station.y;
    const double weight = std::pow(dx * dx + dy * dy + 1e-6, -halfPower);
    weighted += weight * station.temperature;
    weights += weight;
  }
  return weighted / weights;
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
  bool adaptive = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--adaptive") == 0) {
      adaptive = true;
      continue;
    }
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
      std::fprintf(stderr,
                   "usage: %s [--stations N] [--queries N] [--repeats N] [--seed N] [--adaptive]\n",
                   argv[0]);
      return 2;
    }
    ++i;
  }
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> position(0.0f, kEdge), unit(0.0f, 1.0f);
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
  const Arrays arrays = {toDevice(columns[0]), toDevice(columns[1]), toDevice(columns[2])};
  const Records records = {toDevice(stations)};
  const Tiles tiles = {records.stations};
  const std::vector<float> zeros(queryCount, 0.0f);
  const Queries queries = {toDevice(queryX), toDevice(queryY), toDevice(zeros), toDevice(zeros)};

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const int blocks = (queryCount + kThreads - 1) / kThreads;
  bool good = true;
  auto run = [&](const char *name, auto kernel, auto source) {
    const float area = kEdge * kEdge;
    CHECK(cudaMemset(queries.temperature, 0, queryCount * sizeof(float)));
    kernel<<<blocks, kThreads>>>(source, stationCount, area, queries, queryCount);
    CHECK(cudaEventRecord(start));
    for (int n = 0; n < repeats; ++n)
      kernel<<<blocks, kThreads>>>(source, stationCount, area, queries, queryCount);
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
      const double error =
          std::fabs(result[q] - referenceTemperature(stations, queryX[q], queryY[q], adaptive));
      if (!(error <= worst)) // also true for NaN
        worst = error;
    }
    const bool right = worst < 1e-2;
    good = good && right;
    std::printf("%-8s kernel time: %.4f ms, %.2f G interactions/s, largest error %.1e: %s\n", name,
                ms, 1e-6 * stationCount * queryCount / ms, worst, right ? "ok" : "WRONG");
  };
  run("soa", adaptive ? interpolate<true, Arrays> : interpolate<false, Arrays>, arrays);
  run("aligned", adaptive ? interpolate<true, Records> : interpolate<false, Records>, records);
  run("tiles", adaptive ? interpolate<true, Tiles> : interpolate<false, Tiles>, tiles);
  return good ? 0 : 1;
}
