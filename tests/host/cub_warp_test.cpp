// SPDX-License-Identifier: Apache-2.0
// CUB on the executor: what the lanes of a warp do together.
#include "cub_calls.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>

// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): places of a few items

namespace relayout::host::test {
namespace {

constexpr int kWarpsThreads = 96, kOfLane = 3;

/// Groups of lanes reduce: whole, in part and in segments. All warps have one storage, as it needs
/// none.
template <int kLanes> void reductionsOfLanes(const int *in, int *out) {
  using Reduce = cub::WarpReduce<int, kLanes>;
  __shared__ typename Reduce::TempStorage storage;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kLanes;
  const int value = in[thread];
  const int sum = Reduce(storage).Sum(value);
  const int some = Reduce(storage).Reduce(value, cub::Max(), kLanes / 2 + 1);
  const int heads = Reduce(storage).HeadSegmentedSum(value, lane % 3 == 1);
  const int tails = Reduce(storage).TailSegmentedReduce(value, lane % 3 == 1, cub::Min());
  out[thread] = lane == 0 ? sum : 0;
  out[kWarpsThreads + thread] = lane == 0 ? some : 0;
  out[2 * kWarpsThreads + thread] = heads;
  out[3 * kWarpsThreads + thread] = tails;
}

template <int kLanes> void expectReductions(int threads) {
  const std::vector<int> values = numbers(kWarpsThreads);
  const DeviceValues<int> in(values), out(std::vector<int>(4 * kWarpsThreads, -1));
  launch("reductionsOfLanes", Threads::Fibers, {1, static_cast<unsigned>(threads)},
         reductionsOfLanes<kLanes>, in, out);
  for (int first = 0; first < threads; first += kLanes) {
    const int last = std::min(first + kLanes, threads);
    const auto begin = values.begin() + first;
    EXPECT_EQ(out[first], std::accumulate(begin, values.begin() + last, 0));
    EXPECT_EQ(out[kWarpsThreads + first],
              *std::max_element(begin, begin + std::min(kLanes / 2 + 1, last - first)));
    for (int i = first; i < last; ++i) {
      const int lane = i - first;
      int end = i + 1;
      if (lane % 3 == 1 || lane == 0) {
        while (end < last && (end - first) % 3 != 1)
          ++end;
        EXPECT_EQ(out[2 * kWarpsThreads + i],
                  std::accumulate(values.begin() + i, values.begin() + end, 0));
      }
      end = i + 1;
      if (lane % 3 == 2 || lane == 0) {
        while (end < last && (end - 1 - first) % 3 != 1)
          ++end;
        EXPECT_EQ(out[3 * kWarpsThreads + i],
                  *std::min_element(values.begin() + i, values.begin() + end));
      }
    }
  }
}

TEST(CubWarp, ReductionsOfGroupsOfLanes) {
  expectReductions<32>(96);
  expectReductions<16>(96);
  expectReductions<8>(64);
  expectReductions<1>(32);
  expectReductions<32>(80); // the last warp has 16 lanes
}

template <int kLanes> void scansOfGroups(const int *in, int *out) {
  using Scan = cub::WarpScan<int, kLanes>;
  __shared__ typename Scan::TempStorage storage[kWarpsThreads / kLanes];
  const int thread = static_cast<int>(threadIdx.x);
  Scan scan(storage[thread / kLanes]);
  int both[2], total = 0;
  scan.Scan(in[thread], both[0], both[1], 7, cub::Sum());
  out[thread] = both[0];
  out[kWarpsThreads + thread] = both[1];
  scan.InclusiveScan(in[thread], out[2 * kWarpsThreads + thread], 20, cub::Max());
  out[3 * kWarpsThreads + thread] = 77;
  scan.ExclusiveScan(in[thread], out[3 * kWarpsThreads + thread], cub::Min(), total);
  out[4 * kWarpsThreads + thread] = total;
}

TEST(CubWarp, Scans) {
  constexpr int kLanes = 16;
  const std::vector<int> values = numbers(kWarpsThreads);
  const DeviceValues<int> in(values), out(std::vector<int>(5 * kWarpsThreads, -1));
  launch("scansOfGroups", Threads::Fibers, {1, kWarpsThreads}, scansOfGroups<kLanes>, in, out);
  for (int first = 0; first < kWarpsThreads; first += kLanes) {
    const auto begin = values.begin() + first;
    for (int i = first; i < first + kLanes; ++i) {
      const auto here = values.begin() + i;
      EXPECT_EQ(out[i], std::accumulate(begin, here + 1, 7));
      EXPECT_EQ(out[kWarpsThreads + i], std::accumulate(begin, here, 7));
      EXPECT_EQ(out[2 * kWarpsThreads + i], std::max(20, *std::max_element(begin, here + 1)));
      EXPECT_EQ(out[3 * kWarpsThreads + i], i == first ? 77 : *std::min_element(begin, here));
      EXPECT_EQ(out[4 * kWarpsThreads + i], *std::min_element(begin, begin + kLanes));
    }
  }
}

template <int kLanes> void itemsOfLanes(const int *in, int *out) {
  using Load = cub::WarpLoad<int, kOfLane, cub::WARP_LOAD_STRIPED, kLanes>;
  using Store = cub::WarpStore<int, kOfLane, cub::WARP_STORE_TRANSPOSE, kLanes>;
  using Exchange = cub::WarpExchange<int, kOfLane, kLanes>;
  constexpr int kGroups = kWarpsThreads / kLanes, kOfGroup = kLanes * kOfLane;
  constexpr int kAll = kWarpsThreads * kOfLane;
  __shared__ typename Load::TempStorage forLoad[kGroups];
  __shared__ typename Store::TempStorage forStore[kGroups];
  __shared__ typename Exchange::TempStorage forExchange[kGroups];
  const int thread = static_cast<int>(threadIdx.x), group = thread / kLanes, lane = thread % kLanes;
  int items[kOfLane], places[kOfLane];
  Load(forLoad[group]).Load(in + group * kOfGroup, items, kOfGroup - 2, 500);
  Exchange exchange(forExchange[group]);
  exchange.StripedToBlocked(items, items);
  Store(forStore[group]).Store(out + group * kOfGroup, items);
  exchange.BlockedToStriped(items, items);
  for (int i = 0; i < kOfLane; ++i) {
    out[kAll + group * kOfGroup + lane + i * kLanes] = items[i];
    places[i] = kOfGroup - 1 - (lane + i * kLanes);
  }
  exchange.ScatterToStriped(items, places);
  for (int i = 0; i < kOfLane; ++i)
    out[2 * kAll + group * kOfGroup + lane + i * kLanes] = items[i];
}

template <int kLanes> void expectItems() {
  constexpr int kAll = kWarpsThreads * kOfLane, kOfGroup = kLanes * kOfLane;
  std::vector<int> values = numbers(kAll);
  const DeviceValues<int> in(values), out(std::vector<int>(3 * kAll, -1));
  launch("itemsOfLanes", Threads::Fibers, {1, kWarpsThreads}, itemsOfLanes<kLanes>, in, out);
  for (int first = 0; first < kAll; first += kOfGroup) {
    values[first + kOfGroup - 1] = values[first + kOfGroup - 2] = 500;
    for (int i = 0; i < kOfGroup; ++i) {
      EXPECT_EQ(out[first + i], values[first + i]);
      EXPECT_EQ(out[kAll + first + i], values[first + i]);
      EXPECT_EQ(out[2 * kAll + first + i], values[first + kOfGroup - 1 - i]);
    }
  }
}

TEST(CubWarp, LoadsExchangesAndStores) {
  expectItems<32>();
  expectItems<8>();
}

void sortsOfLanes(const int *in, int *out) {
  using Sort = cub::WarpMergeSort<int, kOfLane, 16, int>;
  __shared__ Sort::TempStorage storage[kWarpsThreads / 16];
  const int thread = static_cast<int>(threadIdx.x);
  int keys[kOfLane], values[kOfLane];
  cub::LoadDirectBlocked(thread, in, keys);
  for (int i = 0; i < kOfLane; ++i)
    values[i] = thread % 16 * kOfLane + i;
  Sort(storage[thread / 16]).Sort(keys, values, std::less<int>());
  cub::StoreDirectBlocked(thread, out, values);
  Sort(storage[thread / 16]).StableSort(keys, std::greater<int>(), 40, -900);
  cub::StoreDirectBlocked(thread, out + kWarpsThreads * kOfLane, keys);
}

TEST(CubWarp, MergeSorts) {
  constexpr int kAll = kWarpsThreads * kOfLane, kOfGroup = 16 * kOfLane;
  const std::vector<int> values = numbers(kAll);
  const DeviceValues<int> in(values), out(std::vector<int>(2 * kAll, -1));
  launch("sortsOfLanes", Threads::Fibers, {1, kWarpsThreads}, sortsOfLanes, in, out);
  for (int first = 0; first < kAll; first += kOfGroup) {
    std::vector<int> group(values.begin() + first, values.begin() + first + kOfGroup), places(48);
    std::iota(places.begin(), places.end(), 0);
    std::stable_sort(places.begin(), places.end(),
                     [&](int a, int b) { return group[a] < group[b]; });
    std::sort(group.begin(), group.end());
    std::sort(group.begin(), group.begin() + 40, std::greater<>());
    std::fill(group.begin() + 40, group.end(), -900);
    for (int i = 0; i < kOfGroup; ++i) {
      EXPECT_EQ(out[first + i], places[i]);
      EXPECT_EQ(out[kAll + first + i], group[i]);
    }
  }
}

struct Wide {
  double value;
  int place;
};

void shufflesOfLanes(int *out) {
  const int thread = static_cast<int>(threadIdx.x);
  const Wide mine{thread + 0.5, thread};
  out[thread] = cub::ShuffleUp<8>(mine, 3, 0, ~0u).place;
  out[32 + thread] = cub::ShuffleDown<8>(mine, 3, 7, ~0u).place;
  out[64 + thread] = cub::ShuffleIndex<8>(mine, 5, ~0u).place;
}

TEST(CubWarp, ShufflesOfValuesOfAnySize) {
  const DeviceValues<int> out(std::vector<int>(96, -1));
  launch("shufflesOfLanes", Threads::Fibers, {1, 32}, shufflesOfLanes, out);
  for (int i = 0; i < 32; ++i) {
    EXPECT_EQ(out[i], i % 8 < 3 ? i : i - 3);
    EXPECT_EQ(out[32 + i], i % 8 > 4 ? i : i + 3);
    EXPECT_EQ(out[64 + i], i / 8 * 8 + 5);
  }
}

} // namespace
} // namespace relayout::host::test

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
