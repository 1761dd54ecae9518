// SPDX-License-Identifier: Apache-2.0
// Which lines L1 keeps: one thread issues dependent loads and tells hits from misses by latency.
//   l1_chains > chains.json
// `latency_cycles`: medians of lines that L1 has and of lines that only L2 has. `cyclic`: the share
// of n lines that hit when they are read again and again; the lines are consecutive, a distance
// apart, or random. `survives`: the share of `lines` random lines, each read and stored so many
// times, that hit after n others were read, or stored, once. `words`: the share of lines in which a
// word hits after the first bytes of the line were stored.
#include "../check.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

const unsigned kMask = (1u << 21) - 1; // lines that random ones are taken from
const unsigned kHitCycles = 150;       // between the two values of `latency_cycles`
const long kLine = 128;

__device__ unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// The memory holds zeros, so that each address waits for the load before.
__device__ unsigned cyclesOf(const char *address, unsigned &value) {
  unsigned before, after;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(before)::"memory");
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(address + value) : "memory");
  asm volatile("{.reg .pred never; setp.eq.u32 never, %0, 777; @never trap;}" ::"r"(value)
               : "memory");
  asm volatile("mov.u32 %0, %%clock;" : "=r"(after)::"memory");
  return after - before;
}
__device__ bool hits(const char *address, unsigned &value) {
  return cyclesOf(address, value) < kHitCycles;
}

__global__ void latency(const char *memory, int lines, unsigned *missed, unsigned *hit) {
  unsigned value = 0;
  for (int i = 0; i < lines; ++i) // brings the lines into L2, past L1
    value += __ldcg((const unsigned *)(memory + i * kLine));
  for (int i = 0; i < lines; ++i)
    missed[i] = cyclesOf(memory + i * kLine, value);
  for (int i = 0; i < lines; ++i)
    hit[i] = cyclesOf(memory + i * kLine, value);
}

__global__ void cyclic(const char *memory, int lines, long apart, unsigned seed, unsigned *found) {
  unsigned value = 0, hit = 0;
  const int rounds = 12;
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < lines; ++i) {
      const long line = apart != 0 ? i * apart : mixed(seed + i) & kMask;
      hit += hits(memory + line * kLine, value) && round >= rounds / 2;
    }
  *found = hit / (rounds / 2);
}

__device__ void store(char *address) { *(volatile unsigned *)address = 0; }

__global__ void survive(char *memory, int lines, int reads, int stores, int others,
                        bool othersAreStored, unsigned seed, unsigned *found) {
  unsigned value = 0, hit = 0;
  for (int t = 0; t < reads; ++t)
    for (int i = 0; i < lines; ++i)
      hits(memory + (mixed(seed + i) & kMask) * kLine, value);
  for (int t = 0; t < stores; ++t)
    for (int i = 0; i < lines; ++i)
      store(memory + (mixed(seed + i) & kMask) * kLine);
  char *elsewhere = memory + (kMask + 1) * kLine;
  for (int i = 0; i < others; ++i) {
    char *other = elsewhere + (mixed(seed * 31 + i) & kMask) * kLine;
    if (othersAreStored)
      store(other);
    else
      hits(other, value);
  }
  for (int i = seed % 8; i < lines; i += 8) // few, as those that miss take room
    hit += hits(memory + (mixed(seed + i) & kMask) * kLine, value);
  *found = hit;
}

__global__ void words(char *memory, bool readBefore, int bytes, int readAt, unsigned seed,
                      unsigned *found) {
  unsigned value = 0, hit = 0;
  const int lines = 256;
  for (int i = 0; i < lines && readBefore; ++i)
    hits(memory + (mixed(seed + i) & kMask) * kLine, value);
  for (int byte = 0; byte < bytes; byte += 4)
    for (int i = 0; i < lines; ++i)
      store(memory + (mixed(seed + i) & kMask) * kLine + byte);
  for (int i = 0; i < lines; ++i)
    hit += hits(memory + (mixed(seed + i) & kMask) * kLine + readAt, value);
  *found = hit;
}

void printLatency(const char *memory) {
  const int lines = 256;
  unsigned *cycles = nullptr;
  CHECK(cudaMallocManaged(&cycles, 2 * lines * sizeof *cycles));
  latency<<<1, 1>>>(memory, lines, cycles, cycles + lines);
  CHECK(cudaDeviceSynchronize());
  std::sort(cycles, cycles + lines);
  std::sort(cycles + lines, cycles + 2 * lines);
  std::printf("{\"latency_cycles\": {\"hit\": %u, \"miss\": %u},\n", cycles[lines + lines / 2],
              cycles[lines / 2]);
}

int main() {
  char *memory = nullptr;
  unsigned *found = nullptr;
  const size_t bytes = size_t(8) << 30;
  CHECK(cudaMalloc(&memory, bytes));
  CHECK(cudaMemset(memory, 0, bytes));
  CHECK(cudaMallocManaged(&found, sizeof *found));
  printLatency(memory);
  std::printf("\"cyclic\": [");
  const char *comma = "\n";
  const long distances[] = {0, 1, 16, 256, 4096, 132, 561, 2112}; // 0: at random
  const int sizes[] = {512, 1024, 1536, 1664, 1792, 2048, 2304, 3072};
  for (long apart : distances)
    for (int lines : sizes) {
      double sum = 0;
      for (unsigned trial = 0; trial < 4; ++trial) {
        cyclic<<<1, 1>>>(memory, lines, apart, trial * 100000, found);
        CHECK(cudaDeviceSynchronize());
        sum += *found / double(lines) / 4;
      }
      std::printf("%s{\"apart\": %ld, \"lines\": %d, \"hits\": %.3f}", comma, apart, lines, sum);
      comma = ",\n";
    }
  std::printf("],\n\"survives\": [");
  comma = "\n";
  const int kept[] = {64, 256, 512, 1024};
  const int asked[][2] = {{1, 0}, {2, 0}, {0, 1}, {1, 1}, {0, 2}}; // reads and stores
  const int streams[] = {256, 512, 1024, 1536, 2048, 3072, 4096, 8192, 16384};
  for (int lines : kept)
    for (const int(&times)[2] : asked)
      for (int others : streams)
        for (int stored = 0; stored < 2; ++stored) {
          double sum = 0;
          for (unsigned trial = 0; trial < 8; ++trial) {
            survive<<<1, 1>>>(memory, lines, times[0], times[1], others, stored,
                              trial * 1000003 + others * 17, found);
            CHECK(cudaDeviceSynchronize());
            sum += *found / (lines / 8.0) / 8;
          }
          std::printf("%s{\"lines\": %d, \"reads\": %d, \"stores\": %d, \"others\": %d, "
                      "\"others_are\": \"%s\", \"left\": %.3f}",
                      comma, lines, times[0], times[1], others, stored ? "stored" : "read", sum);
          comma = ",\n";
        }
  std::printf("],\n\"words\": [");
  comma = "\n";
  for (int readBefore = 0; readBefore < 2; ++readBefore)
    for (int bytes : {4, 16, 32})
      for (int readAt : {0, 4, 16, 28, 32, 64}) {
        words<<<1, 1>>>(memory, readBefore, bytes, readAt, 1, found);
        CHECK(cudaDeviceSynchronize());
        std::printf(
            "%s{\"read_before\": %s, \"stored_bytes\": %d, \"read_at\": %d, \"hits\": %.3f}", comma,
            readBefore ? "true" : "false", bytes, readAt, *found / 256.0);
        comma = ",\n";
      }
  std::printf("]}\n");
  return 0;
}
