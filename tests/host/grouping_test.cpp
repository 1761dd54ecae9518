// SPDX-License-Identifier: Apache-2.0
// Hand-lowered kernels and the warp accesses a GPU would make of them, worked out by hand.
#include "recorded_block.h"

#include <gmock/gmock.h>

namespace relayout::host::test {
namespace {

using probe::CallScope;
using probe::LoopScope;
using probe::read;
using probe::write;
using testing::ElementsAre;

constexpr std::uint32_t kAll = 0xffffffffu;
constexpr std::uint32_t kEven = 0x55555555u;
constexpr std::uint32_t kOdd = 0xaaaaaaaau;

void straight(int *p) { write(2u, p[threadIdx.x]) = read(1u, p[threadIdx.x]) + 1; }

TEST(Grouping, StraightLineIsOneAccessAWarp) {
  Device<int> p(64);
  const RecordedBlock block = record(64, straight, p);
  for (int warp = 0; warp < 2; ++warp) {
    EXPECT_THAT(block.warps[warp], ElementsAre(Step{1, kAll}, Step{2, kAll}));
    for (std::uint64_t lane = 0; lane < 32; ++lane)
      EXPECT_EQ(block.addresses[warp][0][lane],
                reinterpret_cast<std::uint64_t>(&p[warp * 32 + lane]));
  }
  EXPECT_EQ(block.counters.sites[1].warpAccesses, 2u);
  EXPECT_EQ(block.counters.sites[1].laneAccesses, 64u);
}

TEST(Grouping, PartialLastWarpHasOnlyItsLanes) {
  Device<int> p(64);
  const RecordedBlock block = record(37, straight, p);
  ASSERT_EQ(block.warps.size(), 2u);
  EXPECT_THAT(block.warps[1], ElementsAre(Step{1, 0x1f}, Step{2, 0x1f}));
}

void byColumn(int *p) { read(1u, p[threadIdx.x + 100 * threadIdx.y + 1000 * threadIdx.z]); }

TEST(Grouping, LanesCountThroughXThenYThenZ) {
  Device<int> p(4000);
  const RecordedBlock block = record(dim3(8, 2, 3), byColumn, p);
  ASSERT_EQ(block.warps.size(), 2u);
  EXPECT_THAT(block.warps[0], ElementsAre(Step{1, kAll}));
  EXPECT_THAT(block.warps[1], ElementsAre(Step{1, 0xffff}));
  // Lane 27 of warp 0 is thread x = 3, y = 1, z = 1; lane 9 of warp 1 is x = 1, y = 1, z = 2.
  EXPECT_EQ(block.addresses[0][0][27], reinterpret_cast<std::uint64_t>(&p[3 + 100 + 1000]));
  EXPECT_EQ(block.addresses[1][0][9], reinterpret_cast<std::uint64_t>(&p[1 + 100 + 2000]));
}

void ifOnly(int *p) {
  if (threadIdx.x % 2 == 0)
    read(1u, p[threadIdx.x]);
  read(2u, p[threadIdx.x]);
}

TEST(Grouping, LanesThatSkipAnIfWaitAfterIt) {
  Device<int> p(32);
  EXPECT_THAT(record(32, ifOnly, p).warps[0], ElementsAre(Step{1, kEven}, Step{2, kAll}));
}

void ifElse(int *p) {
  if (threadIdx.x % 2 == 0) {
    read(1u, p[threadIdx.x]);
    read(2u, p[threadIdx.x]);
  } else {
    read(3u, p[threadIdx.x]);
  }
  read(4u, p[threadIdx.x]);
}

TEST(Grouping, SidesOfAnIfRunOneAfterTheOther) {
  Device<int> p(32);
  EXPECT_THAT(record(32, ifElse, p).warps[0],
              ElementsAre(Step{1, kEven}, Step{2, kEven}, Step{3, kOdd}, Step{4, kAll}));
}

void earlyReturn(int *p, int n) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= n)
    return;
  read(1u, p[i]);
  if (i == 3)
    return;
  read(2u, p[i]);
}

TEST(Grouping, LanesThatReturnTakeNoFurtherPart) {
  Device<int> p(32);
  EXPECT_THAT(record(32, earlyReturn, p, 5).warps[0], ElementsAre(Step{1, 0x1f}, Step{2, 0x17}));
  EXPECT_TRUE(record(32, earlyReturn, p, 0).warps[0].empty());
}

void trips(int *p, int most) {
  const int i = static_cast<int>(threadIdx.x);
  for (LoopScope loop(1u); loop.once();)
    for (int k = 0; (loop.next(), k < i && k < most); ++k)
      read(2u, p[k]);
  read(3u, p[i]);
}

TEST(Grouping, LanesLeaveALoopOneByOneAndReconvergeAfterIt) {
  Device<int> p(32);
  const RecordedBlock block = record(32, trips, p, 3);
  EXPECT_THAT(block.warps[0], ElementsAre(Step{2, kAll << 1}, Step{2, kAll << 2},
                                          Step{2, kAll << 3}, Step{3, kAll}));
  EXPECT_EQ(block.counters.loops[1].warpEntries, 1u);
  // Three iterations and the last test.
  EXPECT_EQ(block.counters.loops[1].warpIterations, 4u);
}

void breakAndContinue(int *p) {
  const int i = static_cast<int>(threadIdx.x);
  for (LoopScope loop(1u); loop.once();)
    for (int k = 0; (loop.next(), k < 3); ++k) {
      read(2u, p[k]);
      if (i % 2 == 1 && k == 0)
        continue;
      read(3u, p[k]);
      if (i < 16 && k == 1)
        break;
      read(4u, p[k]);
    }
  read(5u, p[i]);
}

TEST(Grouping, BreakLeavesTheLoopAndContinueTheIteration) {
  Device<int> p(32);
  const std::uint32_t high = 0xffff0000u;
  EXPECT_THAT(record(32, breakAndContinue, p).warps[0],
              ElementsAre(Step{2, kAll}, Step{3, kEven}, Step{4, kEven}, // k = 0
                          Step{2, kAll}, Step{3, kAll}, Step{4, high},   // k = 1
                          Step{2, high}, Step{3, high}, Step{4, high},   // k = 2
                          Step{5, kAll}));
}

void nested(int *p) {
  const int i = static_cast<int>(threadIdx.x);
  for (LoopScope outer(1u); outer.once();)
    for (int a = 0; (outer.next(), a < 2); ++a) {
      read(2u, p[a]);
      for (LoopScope inner(3u); inner.once();)
        for (int b = 0; (inner.next(), b < (i < 4 ? 2 : a)); ++b)
          read(4u, p[b]);
      read(5u, p[a]);
    }
}

TEST(Grouping, NestedLoopsReconvergeAfterEachInnerLoop) {
  Device<int> p(32);
  EXPECT_THAT(record(32, nested, p).warps[0],
              ElementsAre(Step{2, kAll}, Step{4, 0xf}, Step{4, 0xf}, Step{5, kAll}, Step{2, kAll},
                          Step{4, kAll}, Step{4, 0xf}, Step{5, kAll}));
}

void branchInDifferentIterations(int *p) {
  const unsigned i = threadIdx.x;
  for (LoopScope loop(1u); loop.once();)
    for (unsigned k = 0; (loop.next(), k < 2); ++k)
      if (i % 2 == k)
        read(2u, p[i]);
}

TEST(Grouping, ABranchTakenInDifferentIterationsIsNotOneAccess) {
  // By number of execution, all lanes read at site 2 once and would seem to do so together.
  Device<int> p(32);
  EXPECT_THAT(record(32, branchInDifferentIterations, p).warps[0],
              ElementsAre(Step{2, kEven}, Step{2, kOdd}));
}

int helper(int *p, unsigned i) {
  CallScope scope;
  return read(1u, p[i]) + read(2u, p[i]);
}

void callsFromTwoPlaces(int *p) {
  const unsigned i = threadIdx.x;
  if (i % 2 == 0)
    write(4u, p[i]) = (probe::call(3u), helper(p, i));
  else
    write(6u, p[i]) = (probe::call(5u), helper(p, i));
  read(7u, p[i]);
}

TEST(Grouping, OneFunctionCalledFromBothSidesOfAnIfRunsTwice) {
  Device<int> p(32);
  EXPECT_THAT(record(32, callsFromTwoPlaces, p).warps[0],
              ElementsAre(Step{1, kEven}, Step{2, kEven}, Step{4, kEven}, Step{1, kOdd},
                          Step{2, kOdd}, Step{6, kOdd}, Step{7, kAll}));
}

void callInOneSide(int *p) {
  const unsigned i = threadIdx.x;
  if (i < 8)
    (probe::call(10u), helper(p, i));
  read(11u, p[i]);
}

TEST(Grouping, SitesOfACalledFunctionAreAtTheCall) {
  Device<int> p(32);
  EXPECT_THAT(record(32, callInOneSide, p).warps[0],
              ElementsAre(Step{1, 0xff}, Step{2, 0xff}, Step{11, kAll}));
}

int twice(int x) {
  CallScope scope;
  return 2 * x;
}

void nestedCalls(int *p) {
  const unsigned i = threadIdx.x;
  // f(g(x)): f is named first and entered last.
  if (i % 2 == 0)
    (probe::call(5u), twice((probe::call(4u), helper(p, i))));
  else
    (probe::call(7u), twice((probe::call(6u), helper(p, i))));
  read(8u, p[i]);
}

TEST(Grouping, NestedCallsKeepTheirOwnPlaces) {
  Device<int> p(32);
  EXPECT_THAT(
      record(32, nestedCalls, p).warps[0],
      ElementsAre(Step{1, kEven}, Step{2, kEven}, Step{1, kOdd}, Step{2, kOdd}, Step{8, kAll}));
}

int findFirst(int *p, int wanted) {
  CallScope scope;
  for (LoopScope loop(1u); loop.once();)
    for (int k = 0; (loop.next(), k < 4); ++k)
      if (read(2u, p[k]) == wanted)
        return k;
  read(3u, p[0]);
  return -1;
}

void returnInsideLoop(int *p) {
  const int i = static_cast<int>(threadIdx.x);
  const int at = (probe::call(4u), findFirst(p, i % 8));
  write(5u, p[8 + i]) = at;
}

TEST(Grouping, ReturnInsideALoopEndsTheCallForThatLane) {
  Device<int> p(64);
  for (int k = 0; k < 4; ++k)
    p[k] = k; // lanes with i % 8 < 4 find theirs in iteration i % 8
  const auto not0 = 0xfefefefeu, not1 = 0xfcfcfcfcu, not2 = 0xf8f8f8f8u, none = 0xf0f0f0f0u;
  EXPECT_THAT(record(32, returnInsideLoop, p).warps[0],
              ElementsAre(Step{2, kAll}, Step{2, not0}, Step{2, not1}, Step{2, not2}, Step{3, none},
                          Step{5, kAll}));
}

int recurse(int *p, int depth) {
  CallScope scope;
  if (depth == 0)
    return read(1u, p[0]);
  return (probe::call(2u), recurse(p, depth - 1)) + read(3u, p[depth]);
}

void recursion(int *p) { (probe::call(4u), recurse(p, static_cast<int>(threadIdx.x % 3))); }

TEST(Grouping, RecursionGroupsEachDepth) {
  Device<int> p(32);
  const std::uint32_t depth0 = 0x49249249u, depth1 = depth0 << 1, depth2 = depth0 << 2;
  EXPECT_THAT(record(32, recursion, p).warps[0],
              ElementsAre(Step{1, depth0}, Step{1, depth1}, Step{1, depth2}, Step{3, depth2},
                          Step{3, depth1 | depth2}));
}

void doWhile(int *p) {
  const unsigned i = threadIdx.x;
  unsigned k = 0;
  for (LoopScope loop(1u); loop.once();)
    do {
      loop.next();
      read(2u, p[k]);
      ++k;
    } while (k < i % 3);
}

TEST(Grouping, DoWhileRunsItsBodyOnceAtLeast) {
  Device<int> p(32);
  const RecordedBlock block = record(32, doWhile, p);
  EXPECT_THAT(block.warps[0], ElementsAre(Step{2, kAll}, Step{2, 0x24924924u}));
  EXPECT_EQ(block.counters.loops[1].warpIterations, 2u);
}

void sharedAndLocal(int *p) {
  __shared__ int shared[32];
  int local = 0;
  write(1u, shared[threadIdx.x]) = 1;
  write(2u, local) = read(1u, shared[threadIdx.x]);
  write(3u, p[threadIdx.x]) = local;
}

TEST(Grouping, OnlyDeviceMemoryIsCounted) {
  Device<int> p(32);
  EXPECT_THAT(record(32, sharedAndLocal, p).warps[0], ElementsAre(Step{3, kAll}));
}

void mixedMemory(int *p) {
  int local = 1;
  int *from = threadIdx.x < 4 ? &local : &p[threadIdx.x];
  read(1u, *from);
  read(2u, p[threadIdx.x]);
}

TEST(Grouping, LanesElsewhereAreLeftOutOfAnAccess) {
  Device<int> p(32);
  EXPECT_THAT(record(32, mixedMemory, p).warps[0], ElementsAre(Step{1, kAll << 4}, Step{2, kAll}));
}

void barrierInLoop(int *p) {
  const unsigned i = threadIdx.x;
  for (LoopScope loop(1u); loop.once();)
    for (int k = 0; (loop.next(), k < 2); ++k) {
      if (i % 2 == 0)
        write(2u, p[i]) = k;
      __syncthreads();
      read(3u, p[i ^ 33]);
      __syncthreads();
    }
}

TEST(Grouping, BarriersInALoopChangeNoGroups) {
  Device<int> p(64);
  const RecordedBlock block = record(64, barrierInLoop, p);
  for (int warp = 0; warp < 2; ++warp)
    EXPECT_THAT(block.warps[warp],
                ElementsAre(Step{2, kEven}, Step{3, kAll}, Step{2, kEven}, Step{3, kAll}));
}

void longDivergence(int *p, int rounds) {
  // Lane 0 runs far ahead in a loop the others skip; the others run far behind it.
  const int i = static_cast<int>(threadIdx.x);
  if (i == 0)
    for (LoopScope loop(1u); loop.once();)
      for (int k = 0; (loop.next(), k < rounds); ++k)
        read(2u, p[0]);
  for (LoopScope loop(3u); loop.once();)
    for (int k = 0; (loop.next(), k < rounds); ++k)
      read(4u, p[i]);
  __syncthreads();
  read(5u, p[i]);
}

TEST(Grouping, BuffersOverflowWithoutChangingGroups) {
  Device<int> p(64);
  constexpr int kRounds = 5000;
  const RecordedBlock block = record(64, longDivergence, p, kRounds);
  ASSERT_EQ(block.warps[0].size(), 2u * kRounds + 1);
  for (int k = 0; k < kRounds; ++k) {
    EXPECT_EQ(block.warps[0][k], (Step{2, 1}));
    EXPECT_EQ(block.warps[0][kRounds + k], (Step{4, kAll}));
  }
  EXPECT_EQ(block.warps[0].back(), (Step{5, kAll}));
  EXPECT_EQ(block.warps[1].size(), kRounds + 1u);
}

void starvedAtBarrier(int *p, int rounds) {
  // Lane 1 waits in a shuffle with events unread while lane 0 must overfill its buffer to get
  // there.
  const int i = static_cast<int>(threadIdx.x);
  if (i == 0)
    for (LoopScope loop(1u); loop.once();)
      for (int k = 0; (loop.next(), k < rounds); ++k)
        read(9u, p[0]);
  if (i == 1)
    read(2u, p[1]);
  __syncwarp();
  read(10u, p[i]);
}

TEST(Grouping, ALaneMayOverfillItsBufferOnTheWayToOthers) {
  Device<int> p(32);
  const RecordedBlock block = record(32, starvedAtBarrier, p, 3000);
  ASSERT_EQ(block.warps[0].size(), 3002u);
  // Probe ids order the two branches: the loop (1) comes before site 2.
  EXPECT_EQ(block.warps[0][0], (Step{9, 1}));
  EXPECT_EQ(block.warps[0][3000], (Step{2, 2}));
  EXPECT_EQ(block.warps[0][3001], (Step{10, kAll}));
}

} // namespace
} // namespace relayout::host::test
