// SPDX-License-Identifier: Apache-2.0
// Barriers, shared memory, warp operations and atomics of the executor, by their results.
#include "recorded_block.h"

#include <gmock/gmock.h>

#include <limits>
#include <numeric>

namespace relayout::host::test {
namespace {

void blockSum(const int *from, int *to) {
  __shared__ int part[256];
  const unsigned i = threadIdx.x;
  part[i] = from[blockIdx.x * blockDim.x + i];
  __syncthreads();
  for (unsigned step = blockDim.x / 2; step > 0; step /= 2) {
    if (i < step)
      part[i] += part[i + step];
    __syncthreads();
  }
  if (i == 0)
    to[blockIdx.x] = part[0];
}

TEST(Barrier, SharedMemoryReductionOfManyBlocks) {
  constexpr int kBlocks = 300;
  constexpr std::size_t kThreads = 256;
  Device<int> from(kBlocks * kThreads), to(kBlocks);
  for (std::size_t i = 0; i < kBlocks * kThreads; ++i)
    from[i] = static_cast<int>(i % 1000);
  launch("blockSum", Threads::Fibers, {kBlocks, 256}, blockSum, from, to);
  for (std::size_t block = 0; block < kBlocks; ++block) {
    const int *const first = &from[block * kThreads];
    ASSERT_EQ(to[block], std::accumulate(first, first + kThreads, 0));
  }
}

void reverseDynamic(int *p) {
  int *const held = static_cast<int *>(dynamicShared());
  held[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = held[blockDim.x - 1 - threadIdx.x];
}

DynamicShared<char> fileScope;

void reverseFileScope(int *p) {
  int *const held = (int *)fileScope;
  held[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = held[blockDim.x - 1 - threadIdx.x];
}

TEST(Barrier, DynamicSharedMemory) {
  for (auto *kernel : {reverseDynamic, reverseFileScope}) {
    Device<int> p(100);
    std::iota(&p[0], &p[0] + 100, 0);
    launch("reverse", Threads::Fibers, {1, 100, 100 * sizeof(int)}, kernel, p);
    for (int i = 0; i < 100; ++i)
      ASSERT_EQ(p[i], 99 - i);
  }
}

void votes(int *p) {
  const int i = static_cast<int>(threadIdx.x);
  p[i] = __syncthreads_count(i % 3 == 0);
  p[i] += 1000 * __syncthreads_and(i < 100);
  p[i] += 10000 * __syncthreads_and(i < 99);
  p[i] += 100000 * __syncthreads_or(i == 42);
}

TEST(Barrier, CountsAndVotesOverTheBlock) {
  Device<int> p(100);
  launch("votes", Threads::Fibers, {1, 100}, votes, p);
  for (int i = 0; i < 100; ++i)
    ASSERT_EQ(p[i], 34 + 1000 + 100000);
}

void exitsBeforeBarrier(int *p) {
  if (threadIdx.x >= 40)
    return;
  p[threadIdx.x] = 1;
  __syncthreads();
  p[64 + threadIdx.x] = p[39 - threadIdx.x];
}

TEST(Barrier, ThreadsThatHaveExitedDoNotCount) {
  Device<int> p(128);
  launch("exits", Threads::Fibers, {1, 64}, exitsBeforeBarrier, p);
  EXPECT_EQ(std::accumulate(&p[64], &p[64] + 40, 0), 40);
}

void shuffleSum(float *p) {
  float sum = p[threadIdx.x];
  for (int step = 16; step > 0; step /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0)
    p[threadIdx.x] = sum;
}

TEST(Warp, ShuffleReduction) {
  Device<float> p(64);
  for (int i = 0; i < 64; ++i)
    p[i] = static_cast<float>(i);
  launch("shuffleSum", Threads::Fibers, {1, 64}, shuffleSum, p);
  EXPECT_EQ(p[0], 496.0f);
  EXPECT_EQ(p[32], 1520.0f);
}

void shuffles(int *p) {
  const int i = static_cast<int>(threadIdx.x);
  p[i] = __shfl_sync(0xffffffffu, i, 5);
  p[32 + i] = __shfl_up_sync(0xffffffffu, i, 3);
  p[64 + i] = __shfl_xor_sync(0xffffffffu, i, 1);
  p[96 + i] = __shfl_down_sync(0xffffffffu, i, 2, 8);
  p[128 + i] = static_cast<int>(__shfl_sync(0xffffffffu, 0.5 * i, i + 1, 4) * 2);
}

TEST(Warp, ShufflesOfEachKind) {
  Device<int> p(160);
  launch("shuffles", Threads::Fibers, {1, 32}, shuffles, p);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(p[i], 5);
    EXPECT_EQ(p[32 + i], i < 3 ? i : i - 3);
    EXPECT_EQ(p[64 + i], i ^ 1);
    EXPECT_EQ(p[96 + i], i % 8 < 6 ? i + 2 : i);
    EXPECT_EQ(p[128 + i], i / 4 * 4 + (i + 1) % 4);
  }
}

void ballots(unsigned *p) {
  const unsigned i = threadIdx.x;
  p[i] = __ballot_sync(0xffffffffu, i % 4 == 0);
  p[32 + i] =
      static_cast<unsigned>(__all_sync(0xffffffffu, i < 32) + 2 * __all_sync(0xffffffffu, i < 31) +
                            4 * __any_sync(0xffffffffu, i == 31));
  p[64 + i] = __match_any_sync(0xffffffffu, i % 3);
  p[96 + i] = __reduce_add_sync(0xffffffffu, i);
  p[128 + i] = static_cast<unsigned>(__reduce_min_sync(0xffffffffu, 5 - static_cast<int>(i)));
  int equal = 0;
  p[160 + i] = __match_all_sync(0xffffffffu, 7, &equal);
  p[160 + i] += static_cast<unsigned>(equal);
  if (i < 8)
    p[192 + i] = __ballot_sync(0xffu, i != 2);
  else
    p[192 + i] = __activemask();
}

TEST(Warp, VotesMatchesAndReductions) {
  Device<unsigned> p(224);
  launch("ballots", Threads::Fibers, {1, 32}, ballots, p);
  for (unsigned i = 0; i < 32; ++i) {
    EXPECT_EQ(p[i], 0x11111111u);
    EXPECT_EQ(p[32 + i], 5u);
    EXPECT_EQ(p[64 + i], 0x49249249u << i % 3);
    EXPECT_EQ(p[96 + i], 496u);
    EXPECT_EQ(static_cast<int>(p[128 + i]), -26);
    EXPECT_EQ(p[160 + i], 0u); // all lanes, and 1: wraps to 0
    EXPECT_EQ(p[192 + i], i < 8 ? 0xfbu : 0xffffff00u);
  }
}

void partialWarp(int *p) {
  if (threadIdx.x == 7)
    return;
  p[threadIdx.x] = static_cast<int>(__ballot_sync(0xffffffffu, 1));
}

TEST(Warp, LanesThatDoNotExistOrHaveExitedAreNotWaitedFor) {
  Device<int> p(32);
  launch("partialWarp", Threads::Fibers, {1, 10}, partialWarp, p);
  EXPECT_EQ(p[0], 0x37f);
  EXPECT_EQ(p[9], 0x37f);
}

void addAcrossBlocks(int *count, float *sum, unsigned long long *wide, int *most) {
  atomicAdd(count, 1);
  atomicAdd(sum, 0.5f);
  atomicAdd(wide, 1ull << 33);
  atomicMax(most, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x));
}

TEST(Atomics, HoldAcrossBlocksOnSeveralCores) {
  Device<int> count(1), most(1);
  Device<float> sum(1);
  Device<unsigned long long> wide(1);
  launch("add", Threads::Loop, {500, 128}, addAcrossBlocks, count, sum, wide, most);
  EXPECT_EQ(count[0], 64000);
  EXPECT_EQ(sum[0], 32000.0f);
  EXPECT_EQ(wide[0], 64000ull << 33);
  EXPECT_EQ(most[0], 63999);
}

TEST(Atomics, ReturnWhatWasThere) {
  int i = 5;
  EXPECT_EQ(atomicSub(&i, 2), 5);
  EXPECT_EQ(atomicExch(&i, 10), 3);
  EXPECT_EQ(atomicMin(&i, 7), 10);
  EXPECT_EQ(atomicCAS(&i, 7, 1), 7);
  EXPECT_EQ(atomicCAS(&i, 7, 2), 1);
  EXPECT_EQ(atomicOr(&i, 6), 1);
  EXPECT_EQ(atomicAnd(&i, 3), 7);
  EXPECT_EQ(atomicXor(&i, 1), 3);
  EXPECT_EQ(i, 2);
  unsigned u = 3;
  EXPECT_EQ(atomicInc(&u, 3u), 3u);
  EXPECT_EQ(atomicInc(&u, 3u), 0u);
  EXPECT_EQ(atomicDec(&u, 9u), 1u);
  EXPECT_EQ(atomicDec(&u, 9u), 0u);
  EXPECT_EQ(u, 9u);
  double d = 1.5;
  EXPECT_EQ(atomicAdd(&d, 2.0), 1.5);
  EXPECT_EQ(d, 3.5);
}

TEST(Atomics, OfNvccsOwnNamesDoAsAsked) {
  unsigned u = 5;
  EXPECT_EQ(__nv_atomic_fetch_add(&u, 2, __NV_ATOMIC_RELAXED), 5u);
  __nv_atomic_max(&u, 9u, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  EXPECT_EQ(__nv_atomic_load_n(&u, __NV_ATOMIC_ACQUIRE), 9u);
  unsigned expected = 8;
  EXPECT_FALSE(__nv_atomic_compare_exchange_n(&u, &expected, 1, false, __NV_ATOMIC_SEQ_CST,
                                              __NV_ATOMIC_RELAXED));
  EXPECT_EQ(expected, 9u);
  float f = 1.5f, sum = 0;
  __nv_atomic_add(&f, 2, __NV_ATOMIC_RELAXED);
  __nv_atomic_load(&f, &sum, __NV_ATOMIC_RELAXED);
  EXPECT_EQ(sum, 3.5f);
  EXPECT_EQ(__nv_atomic_exchange_n(&u, 4, __NV_ATOMIC_SEQ_CST), 9u);
  EXPECT_EQ(u, 4u);
}

void spinLock(int *lock, int *count) {
  // Lane 1 may hold the lock while it waits to be scheduled: the others must not spin forever.
  bool done = false;
  while (!done)
    if (atomicCAS(lock, 0, 1) == 0) {
      *count += 1;
      detail::pauseThread();
      atomicExch(lock, 0);
      done = true;
    }
  __syncthreads();
}

TEST(Atomics, ALockAmongTheThreadsOfABlockIsHandedOn) {
  Device<int> lock(1), count(1);
  launch("spinLock", Threads::Fibers, {2, 64}, spinLock, lock, count);
  EXPECT_EQ(count[0], 128);
}

void stuckBarrier() {
  if (threadIdx.x < 32)
    __syncwarp(0xffffffffu);
  if (threadIdx.x == 3)
    __ballot_sync(0xffffffffu, 1);
  __syncthreads();
}

void leftOut(unsigned *votes) { votes[threadIdx.x] = __ballot_sync(0x1u, 1); }

using DeadlockDeathTest = testing::Test;

TEST(DeadlockDeathTest, IsReportedWithTheKernelsName) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(launch("stuckBarrier", Threads::Fibers, {1, 64}, stuckBarrier),
               "kernel 'stuckBarrier' is stuck in block 0: 63 of its 64 live threads wait at a "
               "barrier; lanes 0x00000008 of warp 0 wait in __ballot_sync with mask 0xffffffff, "
               "lanes 0xfffffff7 do not come .RL-H01.");
}

TEST(DeadlockDeathTest, ALaneOutsideItsOwnMaskIsAloneAndIsTold) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto run = [] {
    Device<unsigned> votes(32);
    launch("leftOut", Threads::Fibers, {1, 32}, leftOut, votes);
    std::exit(votes[0] == 1u && votes[5] == 1u << 5 ? 0 : 1);
  };
  EXPECT_EXIT(run(), testing::ExitedWithCode(0),
              "kernel 'leftOut': a lane calls __ballot_sync with a mask .0x00000001. that leaves "
              "it out: it is alone there .RL-H02.");
}

TEST(DeadlockDeathTest, ABarrierInAKernelLoweredAsALoopIsAnError) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Device<int> from(256), to(1);
  EXPECT_DEATH(launch("blockSum", Threads::Loop, {1, 256}, blockSum, from, to),
               "kernel 'blockSum' calls __syncthreads, but was lowered as one whose threads do "
               "not synchronise .RL-H03.");
}

void deep(int *p, int depth) {
  volatile char space[4096];
  space[0] = static_cast<char>(depth);
  if (depth > 0)
    deep(p, depth - 1);
  *p += space[0];
}

TEST(DeadlockDeathTest, AStackThatIsTooSmallIsNamed) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Device<int> p(1);
  EXPECT_DEATH(
      launch("deep", Threads::Fibers, {1, 32}, deep, p, 100000),
      "kernel 'deep' needs more stack than RELAYOUT_STACK_BYTES gives each thread .RL-H04.");
}

void outside(int *p) { *p = 1; }

TEST(DeadlockDeathTest, MemoryThatWasNeverAllocatedIsNamed) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  Device<int> p(1);
  int *far = static_cast<int *>(p) + (1 << 28);
  EXPECT_DEATH(launch("outside", Threads::Fibers, {1, 32}, outside, far),
               "kernel 'outside' touches .* .RL-H05.");
}

std::vector<int> order;
void inner(int number) { order.push_back(number); }

void launches() {
  const int block = static_cast<int>(blockIdx.x);
  order.push_back(block);
  launch("inner", Threads::Loop, {1, 1}, inner, 10 + block);
}

TEST(KernelLaunches, WaitForTheirGridToEnd) {
  order.clear();
  launch("launches", Threads::Loop, {2, 1}, launches);
  EXPECT_EQ(order.size(), 4U);
  EXPECT_EQ(std::vector<int>(order.begin() + 2, order.end()), (std::vector<int>{10, 11}));
}

void waits() { cudaDeviceSynchronize(); }

TEST(DeadlockDeathTest, AKernelCannotWaitForOthers) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(launch("waits", Threads::Loop, {1, 1}, waits),
               "kernel 'waits' waits for kernels that it launched.*RL-H06.");
}

void traps() { __trap(); }

TEST(DeadlockDeathTest, ATrapEndsTheProgram) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(launch("traps", Threads::Fibers, {1, 1}, traps), "executed __trap.*RL-H07.");
}

#ifdef __x86_64__ // elsewhere the processor divides by zero itself
struct Divisions {
  volatile int zero = 0, one = -1, least = std::numeric_limits<int>::min();
  volatile unsigned short none = 0;
  volatile unsigned long long nothing = 0;
  int quotient = 0, remainder = 0, negated = 0;
  unsigned ofShort = 0;
  unsigned long long large = 0;
};

void divides(Divisions *all) {
  Divisions &of = all[0];
  of.quotient = 7 / of.zero;
  of.remainder = 7 % of.zero;
  of.negated = of.least / of.one;
  of.ofShort = 9u / of.none;
  of.large = 9ull / all[0].nothing;
}

TEST(Kernels, DivideByZeroAsAGpuDoes) {
  Divisions divisions;
  testing::internal::CaptureStderr();
  launch("divides", Threads::Loop, {1, 1}, divides, &divisions);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(divisions.quotient, -1);
  EXPECT_EQ(divisions.remainder, -1);
  EXPECT_EQ(divisions.negated, std::numeric_limits<int>::min());
  EXPECT_EQ(divisions.ofShort, ~0u);
  EXPECT_EQ(divisions.large, ~0ull);
  EXPECT_NE(said.find("kernel 'divides' divides an integer by zero"), std::string::npos) << said;
  EXPECT_NE(said.find("[RL-H08]"), std::string::npos) << said;
}
#endif

} // namespace
} // namespace relayout::host::test
