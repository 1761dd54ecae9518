// SPDX-License-Identifier: Apache-2.0
// Code that relies on the lanes of a warp going in step where memory is volatile, as it was written
// before __syncwarp().
#include "lowered_program.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

using testing::HasSubstr;
using testing::Not;

class WarpSynchronous : public testing::TestWithParam<std::string> {
protected:
  void expectOutput(const char *text, const std::string &output) {
    const ProgramText program(text);
    EXPECT_EQ(runLowered(program, Probes::None, GetParam()), output + "exit 0");
    if (const auto model = buildProgramModel(program.command);
        model || model.error().code != Code::NoRecordArray) {
      EXPECT_EQ(runLowered(program, Probes::Trace, GetParam()), output + "exit 0");
    }
  }
};

TEST_P(WarpSynchronous, ReductionsOfAWarpNeedNoBarrier) {
  expectOutput(R"(
#include <cstdio>
template <class T> __device__ void lastWarp(volatile T *s, int i) {
  s[i] += s[i + 32]; s[i] += s[i + 16]; s[i] += s[i + 8];
  s[i] += s[i + 4];  s[i] += s[i + 2];  s[i] += s[i + 1];
}
template <class T> __global__ void reduce(const T *in, T *out) {
  __shared__ T s[128];
  const int i = threadIdx.x;
  s[i] = in[2 * i] + in[2 * i + 1];
  __syncthreads();
  if (i < 32) { s[i] = s[i] + s[i + 64]; s[i + 32] = s[i + 32] + s[i + 96]; }
  __syncthreads();
  if (i < 32) lastWarp<T>(s, i);
  if (i == 0) *out = s[0];
}
__global__ void scan(int *p) {
  volatile __shared__ int s[64];
  const int lane = threadIdx.x;
  s[lane] = 0;
  volatile int *mine = s + 32 + lane;
  *mine = p[lane];
  for (int by = 1; by < 32; by *= 2) mine[0] = mine[0] + mine[-by];
  p[lane] = *mine;
}
int main() {
  float *in, *out; int *p;
  cudaMallocManaged(&in, 256 * sizeof *in); cudaMallocManaged(&out, sizeof *out);
  cudaMallocManaged(&p, 32 * sizeof *p);
  for (int i = 0; i < 256; ++i) in[i] = i;
  for (int i = 0; i < 32; ++i) p[i] = i + 1;
  reduce<float><<<1, 128>>>(in, out);
  scan<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  std::printf("%g %d %d %d\n", *out, p[0], p[30], p[31]);
}
)",
               "32640 1 496 528\n");
}

TEST_P(WarpSynchronous, LanesThatCollideTryAgainTogether) {
  expectOutput(R"(
#include <cstdio>
struct Bin { unsigned count; };
__global__ void histogram(Bin *bins, const unsigned *keys) {
  __shared__ volatile unsigned s[4];
  const unsigned lane = threadIdx.x, tag = lane << 27;
  if (lane < 4) s[lane] = 0;
  __syncthreads();
  unsigned count;
  do {
    count = s[keys[lane]] & 0x07ffffffu;
    count = tag | (count + 1);
    s[keys[lane]] = count;
  } while (s[keys[lane]] != count);
  __syncthreads();
  if (lane < 4) bins[lane].count = s[lane] & 0x07ffffffu;
}
int main() {
  Bin *bins; unsigned *keys;
  cudaMallocManaged(&bins, 4 * sizeof *bins); cudaMallocManaged(&keys, 32 * sizeof *keys);
  for (int i = 0; i < 32; ++i) keys[i] = i * i % 4;
  histogram<<<1, 32>>>(bins, keys);
  cudaDeviceSynchronize();
  std::printf("%u %u %u %u\n", bins[0].count, bins[1].count, bins[2].count, bins[3].count);
}
)",
               "16 16 0 0\n");
}

TEST_P(WarpSynchronous, AFlagIsWaitedForAcrossWarpsAndBlocks) {
  expectOutput(R"(
#include <cstdio>
__device__ volatile int turn;
struct Seen { int turn, ready; };
__global__ void pass(Seen *seen) {
  volatile __shared__ int ready;
  if (threadIdx.x == 50) ready = 0;
  __syncthreads();
  if (threadIdx.x == 40) { while (turn != (int)blockIdx.x) ; ready = 7; }
  if (threadIdx.x == 0) {
    while (ready == 0) ;
    seen[blockIdx.x].turn = turn;
    seen[blockIdx.x].ready = ready;
    turn++;
  }
}
int main() {
  Seen *seen;
  cudaMallocManaged(&seen, 3 * sizeof *seen);
  pass<<<3, 64>>>(seen);
  cudaDeviceSynchronize();
  for (int i = 0; i < 3; ++i) std::printf("%d %d\n", seen[i].turn, seen[i].ready);
}
)",
               "0 7\n1 7\n2 7\n");
}

INSTANTIATE_TEST_SUITE_P(Compilers, WarpSynchronous, testing::ValuesIn(hostCompilers()));

std::string loweredText(const std::string &text) {
  const ProgramText program(text);
  const auto lowered = lowerForHost(program.command, Probes::None);
  EXPECT_TRUE(lowered.has_value());
  return lowered ? lowered->sources.files.front().text : std::string();
}

TEST(VolatileAccesses, WhatIsTheThreadsOwnCostsNothing) {
  const std::string text = loweredText(R"(
__global__ void k(float *p) {
  volatile float mine[2] = {p[0], p[1]};
  volatile int i = 0;
  i++;
  p[threadIdx.x] = mine[0] + i;
}
int main() { k<<<1, 32>>>(nullptr); volatile int host = 1; return host - 1; }
)");
  EXPECT_THAT(text, HasSubstr("Threads::Loop"));
  EXPECT_THAT(text, Not(HasSubstr("afterVolatile")));
}

TEST(VolatileAccesses, AKernelThatReachesSomeRunsItsThreadsAsFibers) {
  const std::string text = loweredText(R"(
__device__ int seen(const volatile int *flag) { return *flag; }
__global__ void k(int *p) { p[threadIdx.x] = seen(p) ? 1 : 2; }
int main() { k<<<1, 32>>>(nullptr); }
)");
  EXPECT_THAT(text, HasSubstr("Threads::Fibers"));
  EXPECT_THAT(text, HasSubstr("return ::relayout::host::afterVolatileLoad(*flag);"));
}

} // namespace
} // namespace relayout::instrument
