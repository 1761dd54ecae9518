// SPDX-License-Identifier: Apache-2.0
// Code that relies on the lanes of a warp going in step where memory is volatile, as it was written
// before __syncwarp(), and on the warps of a block being about equally far.
#include "lowered_program.h"

#include <gmock/gmock.h>

namespace relayout::instrument {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(WarpSynchronous, ReductionsOfAWarpNeedNoBarrier) {
  expectOutputOfAny(R"(
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

TEST(WarpSynchronous, LanesThatCollideTryAgainTogether) {
  expectOutputOfAny(R"(
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

TEST(WarpSynchronous, AFlagIsWaitedForAcrossWarpsAndBlocks) {
  expectOutputOfAny(R"(
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

TEST(WarpSynchronous, AFlagIsPolledByAtomicsThatChangeNothing) {
  expectOutputOfAny(R"(
#include <cstdio>
__device__ int ready;
struct Seen { int before, after; };
__device__ int poll() {
  switch (blockIdx.x) {
  case 0: return atomicAdd(&ready, 0);
  case 1: return atomicSub(&ready, 0);
  case 2: return atomicOr(&ready, 0);
  case 3: return atomicXor(&ready, 0);
  case 4: return atomicAnd(&ready, ~0);
  default: return atomicCAS(&ready, 1, 1);
  }
}
__global__ void pass(Seen *seen) {
  if (blockIdx.x == 5 && threadIdx.x == 40) { seen[0].before = 7; atomicExch(&ready, 1); }
  while (poll() != 1) ;
  seen[blockIdx.x * 64 + threadIdx.x].after = seen[0].before;
}
int main() {
  Seen *seen;
  cudaMallocManaged(&seen, 6 * 64 * sizeof *seen);
  pass<<<6, 64>>>(seen);
  cudaDeviceSynchronize();
  int sum = 0;
  for (int i = 0; i < 6 * 64; ++i) sum += seen[i].after;
  std::printf("%d\n", sum);
}
)",
                    "2688\n");
}

TEST(WarpSynchronous, WhatOthersYetReadInSharedMemoryIsNotOverwritten) {
  expectOutputOfAny(R"(
#include <cstdio>
template <class T> struct Sum { __device__ static T of(T a, T b) { return a + b; } };
template <template <class> class F, class T> __device__ T blockReduce(T value) {
  __shared__ T part[32];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int by = 16; by > 0; by /= 2) value = F<T>::of(value, __shfl_xor_sync(~0u, value, by));
  if (lane == 0) part[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < blockDim.x / 32 ? part[lane] : T(0);
    for (int by = 16; by > 0; by /= 2) value = F<T>::of(value, __shfl_xor_sync(~0u, value, by));
    if (lane == 0) part[0] = value;
  }
  __syncthreads();
  return part[0];
}
__global__ void twice(float *out) {
  const float first = blockReduce<Sum>(1.0f);
  out[threadIdx.x] = blockReduce<Sum>(first);
}
__global__ void settle(int *p, int *passes) {
  __shared__ bool changes;
  int pass = 0;
  do {
    if (threadIdx.x == 0) changes = false;
    __syncthreads();
    if (p[threadIdx.x] > 0) { --p[threadIdx.x]; changes = true; }
    __syncthreads();
    ++pass;
  } while (changes);
  passes[threadIdx.x] = pass;
}
__global__ void rounds(int *p, int n) {
  __shared__ int at, left[2];
  if (threadIdx.x == 0) at = -1;
  __syncthreads();
  while (at < n - 1) {
    if (threadIdx.x == 0) { ++at; left[1] = 3; }
    __syncthreads();
    while (left[1]) {
      if (threadIdx.x == 0) left[1]--;
      __syncthreads();
      p[threadIdx.x] += left[1] + 10 * at;
      __syncthreads();
    }
    __syncthreads();
  }
}
__global__ void relative(float *p) {
  __shared__ float s[64];
  __shared__ float3 t[64];
  s[threadIdx.x] = p[threadIdx.x];
  t[threadIdx.x] = make_float3(1, 2, p[threadIdx.x]);
  __syncthreads();
  const float first = s[0];
  s[threadIdx.x] = p[threadIdx.x] - first;
  t[threadIdx.x] = t[(threadIdx.x + 1) % 64];
  p[threadIdx.x] = s[threadIdx.x] + t[threadIdx.x].z;
}
struct Pair { int a, b; __device__ int sum() const { return a + b; } };
__global__ void objects(int *p) {
  __shared__ Pair own;
  for (int k = 0; k < 3; ++k) {
    if (threadIdx.x == 0) own = Pair{k, 10 * k};
    __syncthreads();
    p[threadIdx.x] += own.sum();
  }
}
struct Task { int from, to; };
__global__ void tasks(int *p, int *fetched) {
  extern __shared__ int room[];
  int *next = room;
  Task *task = (Task *)&next[1];
  if (threadIdx.x == 0) { *next = atomicAdd(fetched, 1); task->to = *next * 2; }
  __syncthreads();
  while (*next < 5) {
    p[threadIdx.x] += task->to;
    if (threadIdx.x == 0) { *next = atomicAdd(fetched, 1); task->to = *next * 2; }
    __syncthreads();
  }
}
int main() {
  float *out, *p; int *left, *passes;
  cudaMallocManaged(&out, 64 * sizeof *out); cudaMallocManaged(&p, 64 * sizeof *p);
  cudaMallocManaged(&left, 64 * sizeof *left); cudaMallocManaged(&passes, 64 * sizeof *passes);
  for (int i = 0; i < 64; ++i) { left[i] = i % 5; p[i] = i + 3; }
  twice<<<1, 64>>>(out);
  settle<<<1, 64>>>(left, passes);
  relative<<<1, 64>>>(p);
  rounds<<<1, 64>>>(left, 4);
  objects<<<1, 64>>>(left);
  int *sums;
  cudaMallocManaged(&sums, 65 * sizeof *sums);
  tasks<<<1, 64, sizeof(int) + sizeof(Task)>>>(sums, sums + 64);
  cudaDeviceSynchronize();
  std::printf("%g %g %d %d %g %g\n", out[0], out[63], passes[0], passes[63], p[1], p[63]);
  std::printf("%d %d %d %d\n", left[0], left[63], sums[0], sums[63]);
}
)",
                    "4096 4096 5 5 6 66\n225 225 20 20\n");
}

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

TEST(UnguardedStores, ThoseBehindABarrierCostNothing) {
  const std::string text = loweredText(R"(
__global__ void k(float *p) {
  __shared__ float s[64];
  for (int i = 0; i < 4; ++i) {
    s[threadIdx.x] = p[64 * i + threadIdx.x];
    __syncthreads();
    p[threadIdx.x] += s[63 - threadIdx.x];
    __syncthreads();
  }
}
int main() { k<<<1, 64>>>(nullptr); }
)");
  EXPECT_THAT(text, Not(HasSubstr("beforeSharedStore")));
}

TEST(UnguardedStores, ValuesThatAreNoArgumentsStayAsTheyAre) {
  const std::string text = loweredText(R"(
struct Pair { int a, b; };
__global__ void k(Pair *p) {
  __shared__ Pair s[32], *at[32];
  const Pair other = s[31 - threadIdx.x], *last = at[31 - threadIdx.x];
  s[threadIdx.x] = {1, 2};
  at[threadIdx.x] = nullptr;
  s[threadIdx.x].a = other.a;
  p[threadIdx.x] = *last;
}
int main() { k<<<1, 32>>>(nullptr); }
)");
  EXPECT_THAT(text, HasSubstr("s[threadIdx.x] = {1, 2};"));
  EXPECT_THAT(text, HasSubstr("at[threadIdx.x] = nullptr;"));
  EXPECT_THAT(text, HasSubstr("s[threadIdx.x].a = ::relayout::host::beforeSharedStore(other.a);"));
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
