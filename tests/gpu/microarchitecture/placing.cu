// SPDX-License-Identifier: Apache-2.0
// What it costs to compute an element's place from its number, as views of arrays in another order
// do it.
//   placing > placing.json
// `chain`: one lane follows elements from one to the next; cycles a step. `walk`: warps read nine
// values of one record after the other, of nine planes; cycles of a scheduler for each warp access.
#include "../check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <vector>

namespace {

constexpr unsigned kElements = 2048; // of a chain: in L1
constexpr unsigned kRecords = 1u << 15;
constexpr int kValues = 9;
constexpr int kSteps = 4096;
constexpr int kRounds = 400;
constexpr int kRepeats = 5;
constexpr int kSchedulers = 4;

/// As in generated headers: what divides numbers below 2^31.
struct Extent {
  unsigned value, factor, shift;
  explicit Extent(unsigned long long extent) : value(unsigned(extent)), shift(0) {
    while (1u << shift < value)
      ++shift;
    factor = unsigned((1ull << 32) * ((1ull << shift) - value) / value + 1);
  }
  __device__ unsigned quotient(unsigned number) const {
    return (unsigned((1ull * number * factor) >> 32) + number) >> shift;
  }
};

struct AsNumbered {
  static constexpr const char *kName = "none";
  __device__ unsigned operator()(unsigned e) const { return e; }
};
template <unsigned N> struct Constant {
  static constexpr const char *kName = N == 8 ? "8" : "9";
  unsigned highest;
  __device__ unsigned operator()(unsigned e) const { return e % N * highest + e / N; }
};
struct Variable {
  static constexpr const char *kName = "variable";
  unsigned highest;
  Extent extent;
  __device__ unsigned operator()(unsigned e) const {
    const unsigned quotient = extent.quotient(e);
    return (e - quotient * extent.value) * highest + quotient;
  }
};
/// By its coordinates: nothing is divided.
struct Coordinates {
  static constexpr const char *kName = "coordinates";
};

template <class Place>
__global__ void chain(const unsigned *next, Place place, long long *cycles, unsigned *sink) {
  unsigned e = 0;
  long long start = 0;
  for (int i = -64; i < kSteps; ++i) {
    if (i == 0)
      start = clock64();
    e = next[place(e)];
  }
  *cycles = clock64() - start;
  *sink = e;
}

template <class Place>
__device__ float valueOf(const float *values, Place place, unsigned record, int k) {
  return values[place(record * kValues + k)];
}
__device__ float valueOf(const float *values, Coordinates, unsigned record, int k) {
  return values[k * kRecords + record];
}

template <class Place>
__global__ void walk(const float *values, Place place, float *sums, unsigned zero) {
  const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  unsigned skipped = 0; // the next round's addresses wait for this round's values
  for (int round = 0; round < kRounds; ++round) {
    const unsigned record = (thread + skipped + round * gridDim.x * blockDim.x) % kRecords;
#pragma unroll
    for (int k = 0; k < kValues; ++k)
      sum += valueOf(values, place, record, k);
    skipped = sum > 1e30f ? 1 : zero;
  }
  sums[thread] = sum;
}

const char *separator = "[";

void print(const char *kind, const char *extent, int warpsAnSm, double cycles) {
  std::printf("%s\n{\"kind\": \"%s\", \"extent\": \"%s\", \"warps_an_sm\": %d, \"cycles\": %.2f}",
              separator, kind, extent, warpsAnSm, cycles);
  separator = ",";
}

template <class Place> void measureChain(const unsigned *next, Place place, void *out) {
  auto *const cycles = static_cast<long long *>(out);
  double best = 1e30;
  for (int i = 0; i < kRepeats; ++i) {
    chain<<<1, 1>>>(next, place, cycles, reinterpret_cast<unsigned *>(cycles + 1));
    long long taken = 0;
    CHECK(cudaMemcpy(&taken, cycles, sizeof taken, cudaMemcpyDeviceToHost));
    best = std::min(best, double(taken) / kSteps);
  }
  print("chain", Place::kName, 1, best);
}

template <class Place>
void measureWalks(const float *values, Place place, float *sums, const cudaDeviceProp &device) {
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  int khz = 0;
  CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  for (const int blocks : {1, 2, 4, 8, 16, 32}) {
    float best = 1e30f;
    for (int i = 0; i < kRepeats; ++i) {
      CHECK(cudaEventRecord(start));
      walk<<<blocks * device.multiProcessorCount, 32>>>(values, place, sums, 0);
      CHECK(cudaEventRecord(stop));
      CHECK(cudaEventSynchronize(stop));
      float ms = 0;
      CHECK(cudaEventElapsedTime(&ms, start, stop));
      best = std::min(best, ms);
    }
    const double warps = std::max(1.0, double(blocks) / kSchedulers); // of a scheduler
    print("walk", Place::kName, blocks, double(best) * khz / (warps * kRounds * kValues));
  }
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
}

} // namespace

int main() {
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  const unsigned highest = kElements / 8 + 1;
  std::vector<unsigned> leads(highest * 9);
  for (unsigned i = 0; i < leads.size(); ++i)
    leads[i] = (i * 37 + 11) % kElements;
  unsigned *next = nullptr;
  float *values = nullptr, *sums = nullptr;
  CHECK(cudaMalloc(&next, leads.size() * sizeof *next));
  CHECK(cudaMemcpy(next, leads.data(), leads.size() * sizeof *next, cudaMemcpyHostToDevice));
  CHECK(cudaMalloc(&values, kRecords * kValues * sizeof *values));
  CHECK(cudaMemset(values, 0, kRecords * kValues * sizeof *values));
  CHECK(cudaMalloc(&sums, 1u << 24));
  measureChain(next, AsNumbered{}, sums);
  measureChain(next, Constant<8>{highest}, sums);
  measureChain(next, Constant<9>{highest}, sums);
  measureChain(next, Variable{highest, Extent(9)}, sums);
  measureWalks(values, Coordinates{}, sums, device);
  measureWalks(values, Constant<9>{kRecords}, sums, device);
  measureWalks(values, Variable{kRecords, Extent(9)}, sums, device);
  std::printf("\n]\n");
}
