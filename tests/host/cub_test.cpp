// SPDX-License-Identifier: Apache-2.0
// CUB on the executor: blocks, warps and whole arrays.
#include "recorded_block.h"

#include <cub/cub.cuh>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): places of a few items

namespace relayout::host::test {
namespace {

constexpr int kThreads = 128;

void blockAndWarp(const int *in, int *sums, int *before, int *largest) {
  using Reduce = cub::BlockReduce<int, kThreads>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Warp = cub::WarpReduce<int>;
  __shared__ Reduce::TempStorage forReduce;
  __shared__ Scan::TempStorage forScan;
  __shared__ Warp::TempStorage forWarps[kThreads / 32];
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

constexpr int kItems = 3;

/// Loads, adds up, differences and stores a block's items.
void itemsOfABlock(const int *in, int *sums, int *differences, int *heads) {
  using Load = cub::BlockLoad<int, kThreads, kItems, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<int, kThreads, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Scan = cub::BlockScan<int, kThreads>;
  using Difference = cub::BlockAdjacentDifference<int, kThreads>;
  using Discontinuity = cub::BlockDiscontinuity<int, kThreads>;
  __shared__ union {
    Load::TempStorage load;
    Store::TempStorage store;
    Scan::TempStorage scan;
    Difference::TempStorage difference;
    Discontinuity::TempStorage discontinuity;
  } shared;
  int items[kItems], results[kItems], total;
  Load(shared.load).Load(in, items);
  __syncthreads();
  Scan(shared.scan).ExclusiveSum(items, results, total);
  Store(shared.store).Store(sums, results);
  __syncthreads();
  Scan(shared.scan).InclusiveScan(items, results, cub::Max());
  Store(shared.store).Store(sums + kThreads * kItems, results);
  __syncthreads();
  Difference(shared.difference).SubtractLeft(items, results, cub::Difference());
  Store(shared.store).Store(differences, results);
  __syncthreads();
  Difference(shared.difference).SubtractRight(items, results, cub::Difference());
  Store(shared.store).Store(differences + kThreads * kItems, results);
  __syncthreads();
  Discontinuity(shared.discontinuity).FlagHeads(results, items, cub::Inequality());
  Store(shared.store).Store(heads, results, kThreads * kItems - 1);
  if (threadIdx.x == 5)
    heads[kThreads * kItems - 1] = total;
}

TEST(Cub, BlocksOfSeveralItemsAThread) {
  constexpr int kAll = kThreads * kItems;
  Device<int> in(kAll), sums(2 * kAll), differences(2 * kAll), heads(kAll);
  for (int i = 0; i < kAll; ++i)
    in[i] = i * i % 11 / 3;
  launch("itemsOfABlock", Threads::Fibers, {1, kThreads}, itemsOfABlock, in, sums, differences,
         heads);
  int sum = 0, most = in[0];
  for (int i = 0; i < kAll; ++i) {
    most = std::max<int>(most, in[i]);
    EXPECT_EQ(sums[i], sum);
    EXPECT_EQ(sums[kAll + i], most);
    EXPECT_EQ(differences[i], i == 0 ? in[0] : in[i] - in[i - 1]);
    EXPECT_EQ(differences[kAll + i], i + 1 == kAll ? in[i] : in[i] - in[i + 1]);
    if (i + 1 < kAll) {
      EXPECT_EQ(heads[i], i == 0 || in[i] != in[i - 1]);
    }
    sum += in[i];
  }
  EXPECT_EQ(heads[kAll - 1], sum);
}

void scansOfLanes(const int *in, int *out) {
  using Scan = cub::WarpScan<int, 16>;
  __shared__ Scan::TempStorage storage[4];
  Scan scan(storage[threadIdx.x / 16]);
  int before = 0, total = 0, most = 0;
  scan.ExclusiveSum(in[threadIdx.x], before, total);
  scan.InclusiveScan(in[threadIdx.x], most, cub::Max());
  out[threadIdx.x] = before;
  out[64 + threadIdx.x] = total;
  out[128 + threadIdx.x] = most;
  out[192 + threadIdx.x] = scan.Broadcast(before, 3);
}

TEST(Cub, ScansOfPartsOfAWarp) {
  Device<int> in(64), out(256);
  for (int i = 0; i < 64; ++i)
    in[i] = i * 5 % 13;
  launch("scansOfLanes", Threads::Fibers, {1, 64}, scansOfLanes, in, out);
  for (int first = 0; first < 64; first += 16) {
    int sum = 0, most = 0;
    for (int i = first; i < first + 16; ++i) {
      most = std::max<int>(most, in[i]);
      EXPECT_EQ(out[i], sum);
      EXPECT_EQ(out[128 + i], most);
      EXPECT_EQ(out[192 + i], in[first] + in[first + 1] + in[first + 2]);
      sum += in[i];
    }
    for (int i = first; i < first + 16; ++i)
      EXPECT_EQ(out[64 + i], sum);
  }
}

TEST(Cub, SumsOfFlagsAndIteratorsThatMakeValues) {
  struct IsOdd {
    bool operator()(int x) const { return x % 2 != 0; }
  };
  Device<int> in(100), count(1), bytes(1);
  Device<long long> out(100);
  for (int i = 0; i < 100; ++i)
    in[i] = i / 3;
  int *const numbers = in;
  const cub::TransformInputIterator<bool, IsOdd, int *> odd(numbers, IsOdd());
  size_t size = 0;
  cub::DeviceReduce::Sum(nullptr, size, odd, static_cast<int *>(count), 100);
  cub::DeviceReduce::Sum(bytes, size, odd, static_cast<int *>(count), 100);
  EXPECT_EQ(count[0], 49);
  cub::DeviceSelect::Flagged(bytes, size, cub::CountingInputIterator<long long>(0), odd,
                             static_cast<long long *>(out), static_cast<int *>(count), 100);
  EXPECT_EQ(count[0], 49);
  EXPECT_EQ(out[3], 9);
}

TEST(Cub, BitsSortAsTheirNumbers) {
  const float numbers[] = {-INFINITY, -2, -0x1p-140f, 0, 0x1p-140f, 3, INFINITY};
  for (int i = 1; i < 7; ++i) {
    unsigned bits[2];
    __builtin_memcpy(bits, numbers + i - 1, sizeof bits);
    EXPECT_LT(cub::Traits<float>::TwiddleIn(bits[0]), cub::Traits<float>::TwiddleIn(bits[1]));
    EXPECT_EQ(cub::Traits<float>::TwiddleOut(cub::Traits<float>::TwiddleIn(bits[0])), bits[0]);
  }
  EXPECT_LT(cub::Traits<short>::TwiddleIn(0xffff), cub::Traits<short>::TwiddleIn(1));
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

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
