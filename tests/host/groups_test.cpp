// SPDX-License-Identifier: Apache-2.0
// Cooperative groups: of a block, of lanes and of a grid.
#include "recorded_block.h"

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>

#include <gmock/gmock.h>

namespace relayout::host::test {
namespace {

namespace cg = cooperative_groups;

void tiles(int *sums, int *ranks) {
  const cg::thread_block block = cg::this_thread_block();
  const auto tile = cg::tiled_partition<16>(block);
  const unsigned thread = block.thread_rank();
  sums[thread] = cg::reduce(tile, static_cast<int>(thread), cg::plus<int>());
  ranks[thread] = static_cast<int>(100 * tile.meta_group_rank() + tile.thread_rank());
}

TEST(Groups, ATileReducesItsOwnLanes) {
  Device<int> sums(48), ranks(48);
  launch("tiles", Threads::Fibers, {1, 48}, tiles, sums, ranks);
  EXPECT_EQ(sums[0], 120);
  EXPECT_EQ(sums[15], 120);
  EXPECT_EQ(sums[16], 376);
  EXPECT_EQ(sums[47], 632);
  EXPECT_EQ(ranks[47], 215);
}

struct Pair {
  double value;
  int place;
};
struct Larger {
  __device__ Pair operator()(Pair a, Pair b) const { return a.value < b.value ? b : a; }
};
void largest(int *places) {
  const auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  const int lane = static_cast<int>(warp.thread_rank());
  places[lane] = cg::reduce(warp, Pair{lane * 7 % 32 + 0.5, lane}, Larger{}).place;
}

TEST(Groups, ValuesOfAnySizeAreExchanged) {
  Device<int> places(32);
  launch("largest", Threads::Fibers, {1, 32}, largest, places);
  for (int i = 0; i < 32; ++i)
    EXPECT_EQ(places[i], 9); // 9 · 7 mod 32 = 31
}

void coalesced(int *out) {
  out[threadIdx.x] = -1;
  if (threadIdx.x % 3 == 0) {
    const auto group = cg::coalesced_threads();
    out[threadIdx.x] = static_cast<int>(100 * cg::inclusive_scan(group, 1) + group.size());
    if (group.thread_rank() == 0)
      out[1] = static_cast<int>(group.ballot(0));
    else
      static_cast<void>(group.ballot(group.thread_rank() < 3));
  }
}

TEST(Groups, CoalescedLanesCountThemselves) {
  Device<int> out(64);
  launch("coalesced", Threads::Fibers, {1, 64}, coalesced, out);
  EXPECT_EQ(out[0], 111);
  EXPECT_EQ(out[30], 1111);
  EXPECT_EQ(out[31], -1);
  EXPECT_EQ(out[63], 1111);
  EXPECT_EQ(out[1], 0b110);
}

int anyGroupSum(cg::thread_group group, int *held, int value) {
  const unsigned rank = group.thread_rank();
  for (unsigned step = group.size() / 2; step > 0; step /= 2) {
    held[rank] = value;
    group.sync();
    if (rank < step)
      value += held[rank + step];
    group.sync();
  }
  return value;
}
void sumOfBlock(int *out) {
  __shared__ int held[64];
  const int sum = anyGroupSum(cg::this_thread_block(), held, static_cast<int>(threadIdx.x));
  if (threadIdx.x == 0)
    out[0] = sum;
}

TEST(Groups, AFunctionTakesAnyGroup) {
  Device<int> out(1);
  launch("sumOfBlock", Threads::Fibers, {1, 64}, sumOfBlock, out);
  EXPECT_EQ(out[0], 64 * 63 / 2);
}

void rotate(int *p, int n) {
  const cg::grid_group grid = cg::this_grid();
  const int i = static_cast<int>(grid.thread_rank());
  for (int round = 0; round < 3; ++round) {
    const int next = p[(i + 1) % n];
    grid.sync();
    p[i] = next;
    grid.sync();
  }
}

TEST(Groups, AllBlocksMeetAtTheGridsBarrier) {
  constexpr int kBlocks = 40, kThreads = 32;
  int n = kBlocks * kThreads;
  Device<int> p(n);
  for (int i = 0; i < n; ++i)
    p[i] = i;
  int *pointer = p;
  void *arguments[] = {&pointer, &n};
  ASSERT_EQ(launchByPointers("rotate", Threads::Fibers, Grid::Cooperative, rotate, kBlocks,
                             kThreads, arguments),
            cudaSuccess);
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(p[i], (i + 3) % n);
}

TEST(Groups, AGridThatCannotBeResidentIsRefused) {
  int n = 0;
  int *pointer = nullptr;
  void *arguments[] = {&pointer, &n};
  EXPECT_EQ(launchByPointers("rotate", Threads::Fibers, Grid::Cooperative, rotate, 100000, 1024,
                             arguments),
            cudaErrorCooperativeLaunchTooLarge);
  cudaGetLastError();
}

using GroupsDeathTest = testing::Test;
TEST(GroupsDeathTest, AGridBarrierInAPlainLaunchIsNamed) {
  Device<int> p(32);
  EXPECT_DEATH(launch("rotate", Threads::Fibers, {1, 32}, rotate, p, 32),
               "waits for its grid, but was not launched by cudaLaunchCooperativeKernel");
}

} // namespace
} // namespace relayout::host::test
