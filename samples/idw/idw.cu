// SPDX-License-Identifier: Apache-2.0
// Inverse distance weighting: estimates the temperature at query locations from scattered weather
// stations. See README.md for the equations.
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

// What a station reports. Interpolating the temperature needs three of the eight values.
struct Station {
  float x, y;        // km
  float altitude;    // m
  float pressure;    // hPa
  float humidity;    // %
  float temperature; // degrees Celsius
  float windSpeed;   // m/s
  int id;
};

struct Query {
  float x, y;
  float temperature;
  float weightSum;
};

__global__ void interpolate(const Station *stations, int stationCount, Query *queries,
                            int queryCount) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queryCount)
    return;
  float x = queries[q].x;
  float y = queries[q].y;
  float weighted = 0.0f;
  float weights = 0.0f;
  for (int s = 0; s < stationCount; ++s) {
    float dx = x - stations[s].x;
    float dy = y - stations[s].y;
    float weight = 1.0f / (dx * dx + dy * dy + 1e-6f);
    weighted += weight * stations[s].temperature;
    weights += weight;
  }
  queries[q].temperature = weighted / weights;
  queries[q].weightSum = weights;
}

const int kNearest = 10; // stations whose distances tell how dense they lie around a query

// The power of the distance that suits how dense the stations lie: from a half where they crowd to
// four where they are sparse. The argument is the mean distance of the nearest over what it would
// be for stations spread at random.
__host__ __device__ inline float powerFor(float ratio) {
  const float powers[5] = {0.5f, 1.0f, 2.0f, 3.0f, 4.0f};
  float sparse = ratio < 2.0f ? 0.5f - 0.5f * cosf(1.57079633f * ratio) : 1.0f;
  float position = fminf(fmaxf(5.0f * (sparse - 0.1f), 0.0f), 4.0f);
  int level = position < 3.0f ? (int)position : 3;
  return powers[level] + (position - level) * (powers[level + 1] - powers[level]);
}

// Adaptive weighting: looks at all stations once for the nearest ones, and once for the estimate.
__global__ void interpolateAdaptively(const Station *stations, int stationCount, float area,
                                      Query *queries, int queryCount) {
  int q = blockIdx.x * blockDim.x + threadIdx.x;
  if (q >= queryCount)
    return;
  float x = queries[q].x;
  float y = queries[q].y;
  float nearest[kNearest]; // squared distances, ascending
  for (int n = 0; n < kNearest; ++n)
    nearest[n] = 1e30f;
  for (int s = 0; s < stationCount; ++s) {
    float dx = x - stations[s].x;
    float dy = y - stations[s].y;
    float moved = dx * dx + dy * dy;
    for (int n = 0; n < kNearest; ++n) {
      float smaller = fminf(nearest[n], moved);
      moved = fmaxf(nearest[n], moved);
      nearest[n] = smaller;
    }
  }
  int found = stationCount < kNearest ? stationCount : kNearest;
  float distances = 0.0f;
  for (int n = 0; n < found; ++n)
    distances += sqrtf(nearest[n]);
  float power = powerFor(2.0f * sqrtf(stationCount / area) * distances / found);
  float weighted = 0.0f;
  float weights = 0.0f;
  for (int s = 0; s < stationCount; ++s) {
    float dx = x - stations[s].x;
    float dy = y - stations[s].y;
    float weight = powf(dx * dx + dy * dy + 1e-6f, -0.5f * power);
    weighted += weight * stations[s].temperature;
    weights += weight;
  }
  queries[q].temperature = weighted / weights;
  queries[q].weightSum = weights;
}

const float kEdge = 100.0f; // of the square the stations stand in, km

struct Options {
  int stations = 2048;
  int queries = 4096;
  int repeats = 1;
  unsigned seed = 1;
  bool adaptive = false;
  bool check = false;
};

Options parseOptions(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--check") == 0) {
      options.check = true;
      continue;
    }
    if (std::strcmp(argv[i], "--adaptive") == 0) {
      options.adaptive = true;
      continue;
    }
    int value = i + 1 < argc ? std::atoi(argv[i + 1]) : 0;
    if (value > 0 && std::strcmp(argv[i], "--stations") == 0)
      options.stations = value;
    else if (value > 0 && std::strcmp(argv[i], "--queries") == 0)
      options.queries = value;
    else if (value > 0 && std::strcmp(argv[i], "--repeats") == 0)
      options.repeats = value;
    else if (value > 0 && std::strcmp(argv[i], "--seed") == 0)
      options.seed = static_cast<unsigned>(value);
    else {
      std::fprintf(stderr,
                   "usage: %s [--stations N] [--queries N] [--repeats N] [--seed N] [--adaptive] "
                   "[--check]\n",
                   argv[0]);
      std::exit(2);
    }
    ++i;
  }
  return options;
}

std::vector<Station> makeStations(int count, std::mt19937 &random) {
  std::uniform_real_distribution<float> position(0.0f, kEdge);
  std::uniform_real_distribution<float> unit(0.0f, 1.0f);
  std::vector<Station> stations(count);
  for (int i = 0; i < count; ++i) {
    Station &station = stations[i];
    station.x = position(random);
    station.y = position(random);
    station.altitude = 800.0f * unit(random);
    station.pressure = 1013.0f - 0.12f * station.altitude;
    station.humidity = 40.0f + 50.0f * unit(random);
    station.temperature = 25.0f - 0.0065f * station.altitude + 0.05f * station.y;
    station.windSpeed = 12.0f * unit(random);
    station.id = i;
  }
  return stations;
}

// Half the power of the distance: one, or what the density of the stations asks for.
double referenceHalfPower(const std::vector<Station> &stations, const Query &query, bool adaptive) {
  if (!adaptive)
    return 1.0;
  std::vector<double> distances;
  for (const Station &station : stations)
    distances.push_back(std::hypot(double(query.x) - station.x, double(query.y) - station.y));
  std::sort(distances.begin(), distances.end());
  distances.resize(std::min<std::size_t>(distances.size(), kNearest));
  const double mean =
      std::accumulate(distances.begin(), distances.end(), 0.0) / double(distances.size());
  const double expected = 0.5 / std::sqrt(double(stations.size()) / (double(kEdge) * kEdge));
  const double ratio = std::min(mean / expected, 2.0);
  const double sparse = 0.5 * (1.0 - std::cos(0.5 * std::acos(-1.0) * ratio));
  double power = 0.5;
  for (int n = 0; n < 4; ++n) // steeper by a half, then by one, from level to level
    power += (n == 0 ? 0.5 : 1.0) * std::clamp((sparse - 0.1 - 0.2 * n) / 0.2, 0.0, 1.0);
  return 0.5 * power;
}

// The same estimate in double precision, for the first few queries.
bool agreesWithReference(const std::vector<Station> &stations, const std::vector<Query> &queries,
                         bool adaptive) {
  double worst = 0.0;
  for (std::size_t q = 0; q < queries.size() && q < 256; ++q) {
    const double halfPower = referenceHalfPower(stations, queries[q], adaptive);
    double weighted = 0.0, weights = 0.0;
    for (const Station &station : stations) {
      double dx = double(queries[q].x) - station.x;
      double dy = double(queries[q].y) - station.y;
      double weight = std::pow(dx * dx + dy * dy + 1e-6, -halfPower);
      weighted += weight * station.temperature;
      weights += weight;
    }
    double error = std::fabs(queries[q].temperature - weighted / weights);
    if (!(error <= worst)) // also true for NaN
      worst = error;
  }
  bool good = worst < 2e-3;
  std::printf("check: largest difference from the reference %.2e degrees: %s\n", worst,
              good ? "ok" : "WRONG");
  return good;
}

int main(int argc, char **argv) {
  Options options = parseOptions(argc, argv);
  std::mt19937 random(options.seed);
  std::vector<Station> stations = makeStations(options.stations, random);
  std::uniform_real_distribution<float> position(0.0f, kEdge);
  std::vector<Query> queries(options.queries);
  for (Query &query : queries)
    query = {position(random), position(random), 0.0f, 0.0f};

  Station *deviceStations = nullptr;
  Query *deviceQueries = nullptr;
  CHECK(cudaMalloc(&deviceStations, stations.size() * sizeof(Station)));
  CHECK(cudaMalloc(&deviceQueries, queries.size() * sizeof(Query)));
  CHECK(cudaMemcpy(deviceStations, stations.data(), stations.size() * sizeof(Station),
                   cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(deviceQueries, queries.data(), queries.size() * sizeof(Query),
                   cudaMemcpyHostToDevice));

  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  const int threads = 256;
  const int blocks = (options.queries + threads - 1) / threads;
  CHECK(cudaEventRecord(start));
  for (int repeat = 0; repeat < options.repeats; ++repeat)
    if (options.adaptive)
      interpolateAdaptively<<<blocks, threads>>>(deviceStations, options.stations, kEdge * kEdge,
                                                 deviceQueries, options.queries);
    else
      interpolate<<<blocks, threads>>>(deviceStations, options.stations, deviceQueries,
                                       options.queries);
  CHECK(cudaGetLastError());
  CHECK(cudaEventRecord(stop));
  CHECK(cudaEventSynchronize(stop));
  float elapsedMs = 0.0f;
  CHECK(cudaEventElapsedTime(&elapsedMs, start, stop));
  elapsedMs /= options.repeats;

  CHECK(cudaMemcpy(queries.data(), deviceQueries, queries.size() * sizeof(Query),
                   cudaMemcpyDeviceToHost));
  CHECK(cudaFree(deviceStations));
  CHECK(cudaFree(deviceQueries));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));

  double mean = 0.0;
  for (const Query &query : queries)
    mean += query.temperature;
  std::printf("%d stations, %d queries: mean temperature %.4f degrees\n", options.stations,
              options.queries, mean / options.queries);
  std::printf("kernel time: %.4f ms, %.2f G interactions/s\n", elapsedMs,
              1e-6 * options.stations * options.queries / elapsedMs);
  return options.check && !agreesWithReference(stations, queries, options.adaptive) ? 1 : 0;
}
