// SPDX-License-Identifier: Apache-2.0
// CUB on the executor: blocks, warps and whole arrays.
#include "recorded_block.h"

#include <cub/cub.cuh>

#include <gtest/gtest.h>

namespace relayout::host::test {
namespace {

constexpr int kThreads = 128;

void blockAndWarp(const int *in, int *sums, int *before, int *largest) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Warp = cub::WarpReduce<int>;
  __shared__ typename Reduce::TempStorage forReduce;
  __shared__ typename Scan::TempStorage forScan;
  __shared__ typename Warp::TempStorage forWarps[kThreads / 32];
  const int sum = Reduce(forReduce).Sum(in[threadIdx.x]);
  if (threadIdx.x == 0)
    sums[0] = sum;
  int total = 0;
  Scan(forScan).ExclusiveSum(in[threadIdx.x], before[threadIdx.x], total);
  if (threadIdx.x == 77)
    sums[1] = total;
  const int most = Warp(forWarps[threadIdx.x / 32]).Reduce(in[threadIdx.x], cub::Max());
  if (threadIdx.x % 32 == 0)
    largest[threadIdx.x / 32] = most;
}

TEST(Cub, BlocksAndWarpsReduceAndScan) {
  Device<int> in(kThreads), sums(2), before(kThreads), largest(4);
  for (int i = 0; i < kThreads; ++i)
    in[i] = i * 7 % kThreads;
  launch("blockAndWarp", Threads::Fibers, {1, kThreads}, blockAndWarp, in, sums, before, largest);
  EXPECT_EQ(sums[0], 8128);
  EXPECT_EQ(sums[1], 8128);
  int sum = 0;
  for (int i = 0; i < kThreads; sum += in[i++])
    EXPECT_EQ(before[i], sum);
  EXPECT_EQ(largest[0], 126);
  EXPECT_EQ(largest[2], 127);
  EXPECT_EQ(largest[3], 123);
}

TEST(Cub, ArraysInTwoCalls) {
  Device<int> in(kThreads), out(kThreads), values(kThreads), count(1);
  for (int i = 0; i < kThreads; ++i) {
    in[i] = i * 7 % kThreads;
    values[i] = i;
  }
  std::size_t bytes = 0;
  EXPECT_EQ(cub::DeviceReduce::Sum(nullptr, bytes, &in[0], &out[0], kThreads), cudaSuccess);
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(out[0], 0);
  Device<char> storage(bytes);
  cub::DeviceReduce::Sum(storage, bytes, &in[0], &out[0], kThreads);
  EXPECT_EQ(out[0], 8128);
  cub::DeviceScan::InclusiveSum(storage, bytes, &in[0], &out[0], kThreads);
  EXPECT_EQ(out[kThreads - 1], 8128);
  EXPECT_EQ(out[1], 7);
  cub::DeviceSelect::If(storage, bytes, &in[0], &out[0], &count[0], kThreads,
                        [](int x) { return x < 5; });
  EXPECT_EQ(count[0], 5);
  cub::DeviceRadixSort::SortPairs(storage, bytes, &in[0], &in[0], &values[0], &values[0], kThreads);
  for (int i = 0; i < kThreads; ++i) {
    EXPECT_EQ(in[i], i);
    EXPECT_EQ(values[i] * 7 % kThreads, i);
  }
  // By the lowest bit alone, stably.
  cub::DeviceRadixSort::SortKeysDescending(storage, bytes, &in[0], &out[0], kThreads, 0, 1);
  EXPECT_EQ(out[0], 1);
  EXPECT_EQ(out[1], 3);
  EXPECT_EQ(out[64], 0);
}

} // namespace
} // namespace relayout::host::test
