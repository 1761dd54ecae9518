// SPDX-License-Identifier: Apache-2.0
// Which SMs share a GPC, where consecutive blocks run, and which requests of two SMs reach L2 once.
//   sm_sharing clusters                    # the SMs of thread-block clusters: one GPC each
//   sm_sharing placement                   # of each block: its SM, when it started and ended
//   ncu … ./sm_sharing requests < PAIRS    # a launch for each line "first second delayNs"
// `requests`: two SMs load the same lines, which L2 holds, one line every few microseconds, the
// second SM so many nanoseconds after the first. L2 counts one read a line where the requests
// merged on their way and two where not, and one more for the SM that brought the line into L2.
// Where first and second are the same SM, only that one loads.
#include "../check.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr unsigned kThreads = 256;
constexpr unsigned kLineWords = 32;
constexpr unsigned kLines = 512;          // that the two SMs load, `requests`
constexpr std::uint64_t kPeriodNs = 4096; // between two of them
constexpr int kAlone = 200 << 10;         // bytes of shared memory that leave an SM to one block

__device__ unsigned smNumber() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}
__device__ std::uint64_t nowNs() {
  std::uint64_t ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
  return ns;
}

__global__ void reportSm(unsigned *sms) {
  if (threadIdx.x == 0)
    sms[blockIdx.x] = smNumber();
  const std::uint64_t end = nowNs() + 4000; // others find their places meanwhile
  while (nowNs() < end) {
  }
}

struct Block {
  std::uint64_t startNs, endNs;
  unsigned sm;
};

/// Each thread moves one float4, read at its own place or at a scattered one.
template <bool Scattered>
__global__ void move(const float4 *in, float4 *out, unsigned elements, Block *blocks) {
  const std::uint64_t start = nowNs();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = in[Scattered ? (i * 2654435761u >> 4) % elements : i];
  __syncthreads();
  if (threadIdx.x == 0)
    blocks[blockIdx.x] = {start, nowNs(), smNumber()};
}

struct Pair {
  unsigned first, second, delayNs;
};
struct Clock {
  std::uint64_t beginNs;
  double cyclesPerNs;
};

__global__ void request(const unsigned *lines, Pair pair, Clock *clocks, unsigned *sink) {
  const unsigned sm = smNumber();
  const bool isFirst = sm == pair.first, isSecond = sm == pair.second;
  const unsigned warming =
      pair.first == 0 || pair.second == 0 ? (pair.first == 1 || pair.second == 1 ? 2 : 1) : 0;
  unsigned value = 0;
  if (sm == warming)
    for (unsigned line = 0; line < kLines; ++line)
      value += __ldcg(lines + line * kLineWords);
  if (isFirst || isSecond) {
    // Blocks start within microseconds of one another, so both take the same millisecond.
    const std::uint64_t startNs = nowNs();
    const std::uint64_t beginNs = ((startNs >> 20) + 2) << 20;
    const long long startCycles = clock64();
    while (nowNs() < beginNs) {
    }
    const double cyclesPerNs = double(clock64() - startCycles) / double(nowNs() - startNs);
    const long long delay = isSecond && !isFirst ? (long long)(pair.delayNs * cyclesPerNs) : 0;
    for (unsigned line = 0; line < kLines; ++line) {
      while (nowNs() < beginNs + (line + 1) * kPeriodNs) {
      }
      const long long at = clock64();
      while (clock64() - at < delay) {
      }
      asm volatile("{.reg .u32 word; ld.global.ca.u32 word, [%1]; add.u32 %0, %0, word;}"
                   : "+r"(value)
                   : "l"(lines + line * kLineWords)
                   : "memory");
    }
    clocks[isSecond] = {beginNs, cyclesPerNs};
  }
  if (value == 1)
    *sink = value;
}

int sms;

int clusters() {
  unsigned *of = nullptr;
  const unsigned blocks = 16 * 132;
  CHECK(cudaMallocManaged(&of, blocks * sizeof *of));
  CHECK(cudaFuncSetAttribute(reportSm, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone));
  const char *comma = "";
  std::printf("[");
  for (const int shared : {0, kAlone})
    for (const unsigned size : {2u, 4u, 8u}) {
      cudaLaunchAttribute attribute{};
      attribute.id = cudaLaunchAttributeClusterDimension;
      attribute.val.clusterDim.x = size;
      attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
      cudaLaunchConfig_t launch{};
      launch.gridDim = blocks / size * size;
      launch.blockDim = kThreads;
      launch.dynamicSmemBytes = shared;
      launch.attrs = &attribute;
      launch.numAttrs = 1;
      CHECK(cudaLaunchKernelEx(&launch, reportSm, of));
      CHECK(cudaDeviceSynchronize());
      for (unsigned block = 0; block < launch.gridDim.x; block += size) {
        std::printf("%s[", comma);
        for (unsigned i = 0; i < size; ++i)
          std::printf("%s%u", i == 0 ? "" : ", ", of[block + i]);
        std::printf("]");
        comma = ",\n";
      }
    }
  std::printf("]\n");
  return 0;
}

int placement() {
  const unsigned blocks = 1u << 17, elements = blocks * kThreads;
  float4 *in = nullptr, *out = nullptr;
  Block *of = nullptr;
  CHECK(cudaMalloc(&in, elements * sizeof *in));
  CHECK(cudaMalloc(&out, elements * sizeof *out));
  CHECK(cudaMalloc(&of, blocks * sizeof *of));
  CHECK(cudaMemset(in, 0, elements * sizeof *in));
  std::printf("{");
  for (const bool scattered : {false, true}) {
    for (int warm = 0; warm < 2; ++warm)
      if (scattered)
        move<true><<<blocks, kThreads>>>(in, out, elements, of);
      else
        move<false><<<blocks, kThreads>>>(in, out, elements, of);
    std::vector<Block> told(blocks);
    CHECK(cudaMemcpy(told.data(), of, blocks * sizeof *of, cudaMemcpyDeviceToHost));
    std::printf("%s\"%s\": [", scattered ? ",\n" : "", scattered ? "gather" : "stream");
    for (unsigned block = 0; block < blocks; ++block)
      std::printf("%s[%u, %lld, %lld]", block == 0 ? "" : ", ", told[block].sm,
                  (long long)(told[block].startNs - told[0].startNs),
                  (long long)(told[block].endNs - told[0].startNs));
    std::printf("]");
  }
  std::printf("}\n");
  return 0;
}

int requests() {
  unsigned *lines = nullptr, *sink = nullptr;
  Clock *clocks = nullptr;
  CHECK(cudaMalloc(&lines, kLines * kLineWords * sizeof *lines));
  CHECK(cudaMemset(lines, 0, kLines * kLineWords * sizeof *lines));
  CHECK(cudaMalloc(&sink, sizeof *sink));
  CHECK(cudaMalloc(&clocks, 2 * sizeof *clocks));
  CHECK(cudaFuncSetAttribute(request, cudaFuncAttributeMaxDynamicSharedMemorySize, kAlone));
  Pair pair{};
  const char *comma = "";
  std::printf("[");
  while (std::scanf("%u %u %u", &pair.first, &pair.second, &pair.delayNs) == 3) {
    CHECK(cudaMemset(clocks, 0, 2 * sizeof *clocks));
    request<<<sms, 1, kAlone>>>(lines, pair, clocks, sink);
    Clock told[2];
    CHECK(cudaMemcpy(told, clocks, sizeof told, cudaMemcpyDeviceToHost));
    std::printf("%s{\"first\": %u, \"second\": %u, \"delay_ns\": %u, \"lines\": %u, "
                "\"same_begin\": %s, \"cycles_per_ns\": %.4f}",
                comma, pair.first, pair.second, pair.delayNs, kLines,
                pair.first == pair.second || told[0].beginNs == told[1].beginNs ? "true" : "false",
                told[1].cyclesPerNs);
    comma = ",\n";
  }
  std::printf("]\n");
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  cudaDeviceProp device{};
  CHECK(cudaGetDeviceProperties(&device, 0));
  sms = device.multiProcessorCount;
  const char *mode = argc == 2 ? argv[1] : "";
  if (std::strcmp(mode, "clusters") == 0)
    return clusters();
  if (std::strcmp(mode, "placement") == 0)
    return placement();
  if (std::strcmp(mode, "requests") == 0)
    return requests();
  std::fprintf(stderr, "usage: %s clusters|placement|requests\n", argv[0]);
  return 2;
}
