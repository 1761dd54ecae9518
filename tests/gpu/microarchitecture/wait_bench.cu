// SPDX-License-Identifier: Apache-2.0
// How long a warp stalls for several words that it requests at once: one load of them all (a
// cluster) compared with one load each (planes).
//   wait_bench > waits.json
// `loop`: few blocks, each thread reads, waits and goes on; nanoseconds an iteration. `blocks`:
// each thread reads once and its block ends; nanoseconds a block of an SM. `stores`: words that a
// thread stores for each read. Planes stand `apart` bytes beyond a power of two from each other.
#include "../check.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr std::uint32_t kElements = 1u << 26;
constexpr int kIterations = 96;

template <int K> struct alignas(4 * K) Cluster { float word[K]; };

template <int K> struct Clusters {
  const Cluster<K> *base;
  __device__ float sum(std::uint32_t i) const {
    const Cluster<K> all = base[i];
    float value = 0;
    for (int k = 0; k < K; ++k)
      value += all.word[k];
    return value;
  }
};
template <int K> struct Planes {
  const float *base;
  std::uint64_t distance;
  __device__ float sum(std::uint32_t i) const {
    float value = 0;
#pragma unroll
    for (int k = 0; k < K; ++k)
      value += base[k * distance + i];
    return value;
  }
};

template <bool kStores, class L> __global__ void loop(L layout, float *out, std::uint32_t start) {
  const std::uint32_t step = gridDim.x * blockDim.x;
  std::uint32_t i = start + blockIdx.x * blockDim.x + threadIdx.x;
  float value = 0;
#pragma unroll 1
  for (int iteration = 0; iteration < kIterations; ++iteration) {
    value += layout.sum(i % kElements);
    if (kStores)
      out[i % kElements] = value;
    i += step + (value == 1.25e30f); // the next iteration waits for this one
  }
  if (value == 1.25f)
    *out = value;
}
template <bool kStores, class L> __global__ void once(L layout, float *out) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const float value = layout.sum(i);
  if (kStores || value == 1.25e30f)
    out[i] = value;
}

template <class Run> double medianNs(Run run) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  std::vector<double> times;
  for (int n = 0; n < 11; ++n) {
    CHECK(cudaEventRecord(begin));
    run();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    float ms = 0;
    CHECK(cudaEventElapsedTime(&ms, begin, end));
    if (n > 1)
      times.push_back(ms * 1e6);
  }
  CHECK(cudaGetLastError());
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

int sms;
bool first = true;

void print(const char *kind, int words, int parameter, int stores, int apart, double cluster,
           double planes, double repetitions) {
  std::printf("%s\n  {\"kind\": \"%s\", \"words\": %d, \"%s\": %d, \"stores\": %d, "
              "\"apart\": %d, "
              "\"cluster_ns\": %.2f, \"planes_ns\": %.2f, \"planes_more\": %.4f}",
              first ? "[" : ",", kind, words, kind[0] == 'l' ? "blocks_an_sm" : "threads",
              parameter, stores, apart, cluster / repetitions, planes / repetitions,
              planes / cluster - 1);
  first = false;
  std::fflush(stdout);
}

template <bool kStores, class L> double loopNs(L layout, float *out, int blocksAnSm) {
  // Shared memory keeps others off the SM.
  const int shared = blocksAnSm >= 8 ? 0 : (224 << 10) / blocksAnSm - (1 << 10);
  CHECK(
      cudaFuncSetAttribute(loop<kStores, L>, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
  std::uint32_t start = 0; // of what no cache has
  return medianNs([&] {
    loop<kStores><<<sms * blocksAnSm, 256, shared>>>(layout, out, start);
    start += sms * blocksAnSm * 256 * kIterations;
  });
}
template <bool kStores, class L> double onceNs(L layout, float *out, int threads) {
  return medianNs([&] { once<kStores><<<kElements / threads, threads>>>(layout, out); });
}

template <int K> void measure(const float *memory, float *out) {
  const Clusters<K> clusters{reinterpret_cast<const Cluster<K> *>(memory)};
  for (const int apart : {0, 4352}) {
    const Planes<K> planes{memory, kElements + apart / 4u};
    for (const int blocks : {1, 2, 4, 8}) {
      print("loop", K, blocks, 0, apart, loopNs<false>(clusters, out, blocks),
            loopNs<false>(planes, out, blocks), kIterations);
      print("loop", K, blocks, 1, apart, loopNs<true>(clusters, out, blocks),
            loopNs<true>(planes, out, blocks), kIterations);
    }
    for (const int threads : {64, 128, 256, 512, 1024}) {
      const double blocks = double{kElements} / threads / sms; // of an SM
      print("blocks", K, threads, 0, apart, onceNs<false>(clusters, out, threads),
            onceNs<false>(planes, out, threads), blocks);
      print("blocks", K, threads, 1, apart, onceNs<true>(clusters, out, threads),
            onceNs<true>(planes, out, threads), blocks);
    }
  }
}

} // namespace

int main() {
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  sms = device.multiProcessorCount;
  float *memory = nullptr, *out = nullptr;
  const std::uint64_t bytes = std::uint64_t{kElements} * 4 * 4 + (1u << 20);
  CHECK(cudaMalloc(&memory, bytes));
  CHECK(cudaMalloc(&out, std::uint64_t{kElements} * 4));
  CHECK(cudaMemset(memory, 0, bytes));
  measure<1>(memory, out); // the same code twice: what differs is noise
  measure<2>(memory, out);
  measure<4>(memory, out);
  std::printf("\n]\n");
}
