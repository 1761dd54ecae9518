// SPDX-License-Identifier: Apache-2.0
// CUB on the executor: what the threads of a block do together with their items.
#include "cub_calls.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <numeric>

// NOLINTBEGIN(bugprone-implicit-widening-of-multiplication-result): places of a few items

namespace relayout::host::test {
namespace {

// A block of two dimensions whose last warp is not full; each thread has three items.
constexpr int kX = 20, kY = 5, kBlockThreads = kX * kY, kEach = 3, kTile = kBlockThreads * kEach;
const dim3 kBlock(kX, kY);

int rank() { return cub::RowMajorTid(kX, kY, 1); }

template <class T> std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// What a kernel that reads `kTile` numbers writes.
std::vector<int> outputOf(void (*kernel)(const int *, int *), std::size_t count) {
  const DeviceValues<int> in(numbers(kTile)), out(std::vector<int>(count, -1));
  launch("tile", Threads::Fibers, {1, kBlock}, kernel, in, out);
  return out.first(count);
}

struct LargerOfTwo {
  int operator()(int &a, int &b) const { return a < b ? b : a; }
};

void reductions(const int *in, int *out) {
  using Reduce = cub::BlockReduce<int, kX, cub::BLOCK_REDUCE_RAKING, kY>;
  __shared__ Reduce::TempStorage storage;
  int items[kEach];
  cub::LoadDirectBlocked(rank(), in, items);
  const int sum = Reduce(storage).Sum(items);
  __syncthreads();
  const int largest = Reduce(storage).Reduce(items, LargerOfTwo());
  __syncthreads();
  const int ofSome = Reduce(storage).Sum(items[0], 31);
  __syncthreads();
  const int leastOfSome = Reduce(storage).Reduce(items[0], cub::Min(), 7);
  // Without storage of its own.
  const int ofFirst = Reduce().Sum(items[0]);
  if (rank() == 0) {
    out[0] = sum;
    out[1] = largest;
    out[2] = ofSome;
    out[3] = leastOfSome;
    out[4] = ofFirst;
  }
}

TEST(CubBlock, Reductions) {
  const std::vector<int> values = numbers(kTile), out = outputOf(reductions, 5);
  std::vector<int> firsts;
  for (int i = 0; i < kTile; i += kEach)
    firsts.push_back(values[i]);
  EXPECT_EQ(out[0], std::accumulate(values.begin(), values.end(), 0));
  EXPECT_EQ(out[1], *std::max_element(values.begin(), values.end()));
  EXPECT_EQ(out[2], std::accumulate(firsts.begin(), firsts.begin() + 31, 0));
  EXPECT_EQ(out[3], *std::min_element(firsts.begin(), firsts.begin() + 7));
  EXPECT_EQ(out[4], std::accumulate(firsts.begin(), firsts.end(), 0));
}

/// What stands before each tile: the sum of those before it.
struct RunningTotal {
  int total;
  int operator()(int ofTile) {
    const int before = total;
    total += ofTile;
    return before;
  }
};

void scansOfTiles(const int *in, int *out) {
  using Scan = cub::BlockScan<int, kX, cub::BLOCK_SCAN_RAKING_MEMOIZE, kY>;
  __shared__ Scan::TempStorage storage;
  RunningTotal exclusive{1000}, inclusive{2000};
  for (int tile = 0; tile < kEach; ++tile) {
    const int place = tile * kBlockThreads + rank();
    Scan(storage).ExclusiveSum(in[place], out[place], exclusive);
    __syncthreads();
    Scan(storage).InclusiveSum(in[place], out[kTile + place], inclusive);
    __syncthreads();
  }
  RunningTotal ofAll{3000};
  int items[kEach], results[kEach], total = 0;
  cub::LoadDirectBlocked(rank(), in, items);
  Scan(storage).ExclusiveScan(items, results, cub::Sum(), ofAll);
  cub::StoreDirectBlocked(rank(), out + 2 * kTile, results);
  __syncthreads();
  Scan(storage).InclusiveScan(items, results, 11, cub::Max(), total);
  cub::StoreDirectBlocked(rank(), out + 3 * kTile, results);
  __syncthreads();
  results[0] = 77;
  Scan(storage).ExclusiveScan(items, results, cub::Max());
  cub::StoreDirectBlocked(rank(), out + 4 * kTile, results);
  __syncthreads();
  Scan(storage).ExclusiveSum(items, items); // in place
  cub::StoreDirectBlocked(rank(), out + 5 * kTile, items);
  if (rank() == 60)
    out[6 * kTile] = total;
}

TEST(CubBlock, ScansAfterWhatStandsBeforeTheBlock) {
  const std::vector<int> values = numbers(kTile), out = outputOf(scansOfTiles, 6 * kTile + 1);
  const auto part = [&](int i) {
    return std::vector<int>(out.begin() + i * kTile, out.begin() + (i + 1) * kTile);
  };
  const auto larger = [](int a, int b) { return std::max(a, b); };
  std::vector<int> expected(kTile);
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 1000);
  EXPECT_EQ(part(0), expected);
  std::inclusive_scan(values.begin(), values.end(), expected.begin(), std::plus<>(), 2000);
  EXPECT_EQ(part(1), expected);
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 3000);
  EXPECT_EQ(part(2), expected);
  std::inclusive_scan(values.begin(), values.end(), expected.begin(), larger, 11);
  EXPECT_EQ(part(3), expected);
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), -1000, larger);
  expected[0] = 77;
  EXPECT_EQ(part(4), expected);
  std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0);
  EXPECT_EQ(part(5), expected);
  EXPECT_EQ(out[6 * kTile], *std::max_element(values.begin(), values.end()));
}

void loadsAndStores(const int *in, int *out) {
  using Load = cub::BlockLoad<int, kX, kEach, cub::BLOCK_LOAD_STRIPED, kY>;
  using Store = cub::BlockStore<int, kX, kEach, cub::BLOCK_STORE_STRIPED, kY>;
  using Transpose = cub::BlockLoad<int, kX, kEach, cub::BLOCK_LOAD_TRANSPOSE, kY>;
  __shared__ Load::TempStorage forLoad;
  __shared__ Store::TempStorage forStore;
  int items[kEach] = {-5, -5, -5};
  Load(forLoad).Load(in, items, 150, 9); // the rest is 9
  cub::StoreDirectBlocked(rank(), out, items);
  Store(forStore).Store(out + kTile, items, 250);
  int others[kEach] = {-5, -5, -5};
  Transpose().Load(cub::CacheModifiedInputIterator<cub::LOAD_LDG, int>(in), others, 100);
  cub::StoreDirectBlocked(rank(), out + 2 * kTile, others);
}

TEST(CubBlock, LoadsAndStoresOfPartOfATile) {
  const std::vector<int> values = numbers(kTile), out = outputOf(loadsAndStores, 3 * kTile);
  for (int i = 0; i < kTile; ++i) {
    const int place = i / kEach + i % kEach * kBlockThreads; // striped
    EXPECT_EQ(out[i], place < 150 ? values[place] : 9);
    EXPECT_EQ(out[kTile + i], i >= 250 ? -1 : i < 150 ? values[i] : 9);
    EXPECT_EQ(out[2 * kTile + i], i < 100 ? values[i] : -5);
  }
}

void radixSorts(const int *in, int *out) {
  using Sort = cub::BlockRadixSort<int, kX, kEach, int, 4, true, cub::BLOCK_SCAN_WARP_SCANS,
                                   cudaSharedMemBankSizeFourByte, kY>;
  using SortKeys = cub::BlockRadixSort<float, kBlockThreads, 1>;
  __shared__ Sort::TempStorage storage;
  __shared__ SortKeys::TempStorage forKeys;
  int keys[kEach], values[kEach];
  cub::LoadDirectBlocked(rank(), in, keys);
  for (int i = 0; i < kEach; ++i)
    values[i] = rank() * kEach + i;
  Sort(storage).Sort(keys, values);
  cub::StoreDirectBlocked(rank(), out, keys);
  cub::StoreDirectBlocked(rank(), out + kTile, values);
  __syncthreads();
  Sort(storage).SortDescendingBlockedToStriped(keys);
  cub::StoreDirectStriped<kBlockThreads>(rank(), out + 2 * kTile, keys);
  float one[1] = {static_cast<float>(in[rank()]) / 2};
  SortKeys(forKeys).SortDescending(one);
  out[3 * kTile + rank()] = static_cast<int>(one[0] * 2);
  __syncthreads();
  // By the lowest two bits alone.
  cub::LoadDirectBlocked(rank(), in, keys);
  Sort(storage).SortBlockedToStriped(keys, 0, 2);
  cub::StoreDirectStriped<kBlockThreads>(rank(), out + 3 * kTile + kBlockThreads, keys);
}

TEST(CubBlock, RadixSorts) {
  const std::vector<int> values = numbers(kTile);
  const std::vector<int> out = outputOf(radixSorts, 4 * kTile + kBlockThreads);
  std::vector<int> places(kTile), expected = sorted(values);
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(),
                   [&](int a, int b) { return values[a] < values[b]; });
  EXPECT_EQ(std::vector<int>(out.begin(), out.begin() + kTile), expected);
  EXPECT_EQ(std::vector<int>(out.begin() + kTile, out.begin() + 2 * kTile), places);
  std::reverse(expected.begin(), expected.end());
  EXPECT_EQ(std::vector<int>(out.begin() + 2 * kTile, out.begin() + 3 * kTile), expected);
  std::vector<int> firsts(values.begin(), values.begin() + kBlockThreads);
  std::sort(firsts.begin(), firsts.end(), std::greater<>());
  EXPECT_TRUE(std::equal(firsts.begin(), firsts.end(), out.begin() + 3 * kTile));
  expected = values;
  std::stable_sort(expected.begin(), expected.end(),
                   [](int a, int b) { return (a & 3) < (b & 3); });
  EXPECT_TRUE(
      std::equal(expected.begin(), expected.end(), out.begin() + 3 * kTile + kBlockThreads));
}

void mergeSorts(const int *in, int *out) {
  using Sort = cub::BlockMergeSort<int, kX, kEach, int, kY>;
  __shared__ Sort::TempStorage storage;
  int keys[kEach], values[kEach];
  cub::LoadDirectBlocked(rank(), in, keys);
  for (int i = 0; i < kEach; ++i)
    values[i] = rank() * kEach + i;
  Sort(storage).StableSort(keys, values, std::greater<int>());
  cub::StoreDirectBlocked(rank(), out, values);
  __syncthreads();
  cub::LoadDirectBlocked(rank(), in, keys);
  Sort(storage).Sort(keys, std::less<int>(), 200, 5000);
  cub::StoreDirectBlocked(rank(), out + kTile, keys);
}

TEST(CubBlock, MergeSorts) {
  const std::vector<int> values = numbers(kTile), out = outputOf(mergeSorts, 2 * kTile);
  std::vector<int> places(kTile), some(values.begin(), values.begin() + 200);
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(),
                   [&](int a, int b) { return values[a] > values[b]; });
  EXPECT_EQ(std::vector<int>(out.begin(), out.begin() + kTile), places);
  some = sorted(some);
  some.resize(kTile, 5000);
  EXPECT_EQ(std::vector<int>(out.begin() + kTile, out.end()), some);
}

void exchanges(const int *in, int *out) {
  using Exchange = cub::BlockExchange<int, kX, kEach, false, kY>;
  __shared__ Exchange::TempStorage storage;
  int items[kEach], places[kEach], guarded[kEach], flags[kEach], results[kEach];
  cub::LoadDirectBlocked(rank(), in, items);
  Exchange(storage).BlockedToStriped(items);
  cub::StoreDirectStriped<kBlockThreads>(rank(), out, items);
  __syncthreads();
  Exchange(storage).StripedToBlocked(items);
  cub::StoreDirectBlocked(rank(), out + kTile, items);
  for (int i = 0; i < kEach; ++i) {
    places[i] = kTile - 1 - (rank() * kEach + i);
    guarded[i] = places[i] % 2 != 0 ? places[i] : -1;
    flags[i] = places[i] % 3 == 0;
  }
  __syncthreads();
  Exchange(storage).ScatterToBlocked(items, results, places);
  cub::StoreDirectBlocked(rank(), out + 2 * kTile, results);
  __syncthreads();
  Exchange(storage).ScatterToStripedGuarded(items, results, guarded);
  cub::StoreDirectStriped<kBlockThreads>(rank(), out + 3 * kTile, results);
  __syncthreads();
  Exchange(storage).ScatterToStripedFlagged(results, places, flags);
  cub::StoreDirectStriped<kBlockThreads>(rank(), out + 4 * kTile, results);
}

TEST(CubBlock, ExchangesOfItems) {
  const std::vector<int> values = numbers(kTile), out = outputOf(exchanges, 5 * kTile);
  for (int i = 0; i < kTile; ++i) {
    const int reversed = values[kTile - 1 - i];
    EXPECT_EQ(out[i], values[i]);
    EXPECT_EQ(out[kTile + i], values[i]);
    EXPECT_EQ(out[2 * kTile + i], reversed);
    if (i % 2 != 0) {
      EXPECT_EQ(out[3 * kTile + i], reversed);
    }
  }
}

void warpExchangesOfABlock(const int *in, int *out) {
  using Exchange = cub::BlockExchange<int, 64, 2>;
  __shared__ Exchange::TempStorage storage;
  int items[2];
  cub::LoadDirectBlocked(static_cast<int>(threadIdx.x), in, items);
  Exchange(storage).BlockedToWarpStriped(items);
  cub::StoreDirectWarpStriped(static_cast<int>(threadIdx.x), out, items);
  __syncthreads();
  cub::LoadDirectWarpStriped(static_cast<int>(threadIdx.x), in, items);
  Exchange(storage).WarpStripedToBlocked(items);
  cub::StoreDirectBlocked(static_cast<int>(threadIdx.x), out + 128, items);
}

TEST(CubBlock, ItemsStripedOverWarps) {
  const std::vector<int> values = numbers(128);
  const DeviceValues<int> in(values), out(std::vector<int>(256, -1));
  launch("warpExchangesOfABlock", Threads::Fibers, {1, 64}, warpExchangesOfABlock, in, out);
  for (int i = 0; i < 128; ++i) {
    EXPECT_EQ(out[i], values[i]);
    EXPECT_EQ(out[128 + i], values[i]);
  }
}

void movesOfItems(const int *in, int *out) {
  using Shuffle = cub::BlockShuffle<int, kX, kY>;
  __shared__ Shuffle::TempStorage storage;
  int result = -9, edge = 0;
  Shuffle(storage).Offset(in[rank()], result, -7);
  out[rank()] = result;
  __syncthreads();
  Shuffle(storage).Rotate(in[rank()], result, 30);
  out[kTile + rank()] = result;
  __syncthreads();
  int items[kEach], results[kEach] = {-9, -9, -9};
  cub::LoadDirectBlocked(rank(), in, items);
  Shuffle(storage).Up(items, results, edge);
  cub::StoreDirectBlocked(rank(), out + 2 * kTile, results);
  if (rank() == 3)
    out[4 * kTile] = edge;
  __syncthreads();
  results[kEach - 1] = -9;
  Shuffle(storage).Down(items, results, edge);
  cub::StoreDirectBlocked(rank(), out + 3 * kTile, results);
  if (rank() == 3)
    out[4 * kTile + 1] = edge;
}

TEST(CubBlock, ItemsMoveAlong) {
  const std::vector<int> values = numbers(kTile), out = outputOf(movesOfItems, 4 * kTile + 2);
  for (int i = 0; i < kBlockThreads; ++i) {
    EXPECT_EQ(out[i], i < 7 ? -9 : values[i - 7]);
    EXPECT_EQ(out[kTile + i], values[(i + 30) % kBlockThreads]);
  }
  for (int i = 0; i < kTile; ++i) {
    EXPECT_EQ(out[2 * kTile + i], i == 0 ? -9 : values[i - 1]);
    EXPECT_EQ(out[3 * kTile + i], i + 1 == kTile ? -9 : values[i + 1]);
  }
  EXPECT_EQ(out[4 * kTile], values[kTile - 1]);
  EXPECT_EQ(out[4 * kTile + 1], values[0]);
}

void histograms(const int *in, int *out) {
  using Histogram = cub::BlockHistogram<unsigned char, kX, kEach, 10, cub::BLOCK_HISTO_ATOMIC, kY>;
  __shared__ Histogram::TempStorage storage;
  __shared__ int bins[10];
  unsigned char items[kEach];
  for (int i = 0; i < kEach; ++i)
    items[i] = static_cast<unsigned char>((in[rank() * kEach + i] + 40) % 10);
  Histogram(storage).Histogram(items, bins);
  if (rank() < 10)
    out[rank()] = bins[rank()];
  __syncthreads();
  Histogram(storage).Composite(items, bins);
  if (rank() < 10)
    out[10 + rank()] = bins[rank()];
}

TEST(CubBlock, Histograms) {
  std::vector<int> counts(10);
  for (const int x : numbers(kTile))
    ++counts[(x + 40) % 10];
  const std::vector<int> out = outputOf(histograms, 20);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(out[i], counts[i]);
    EXPECT_EQ(out[10 + i], 2 * counts[i]);
  }
}

void decodedRuns(const int *in, int *out) {
  using Decode = cub::BlockRunLengthDecode<int, kX, kEach, 2, unsigned, kY>;
  __shared__ Decode::TempStorage storage;
  int runs[kEach], lengths[kEach], items[2], offsets[2];
  cub::LoadDirectBlocked(rank(), in, runs);
  for (int i = 0; i < kEach; ++i)
    lengths[i] = (rank() * kEach + i) % 4;
  unsigned total = 0;
  Decode decode(storage, runs, lengths, total);
  for (unsigned from = 0; from < total; from += 2 * kBlockThreads) {
    decode.RunLengthDecode(items, offsets, from);
    for (unsigned i = 0; i < 2; ++i)
      if (const unsigned place = from + static_cast<unsigned>(rank()) * 2 + i; place < total) {
        out[place] = items[i];
        out[2 * kTile + place] = offsets[i];
      }
  }
}

TEST(CubBlock, RunsAreWrittenOut) {
  const std::vector<int> values = numbers(kTile), out = outputOf(decodedRuns, 4 * kTile);
  int place = 0;
  for (int run = 0; run < kTile; ++run)
    for (int i = 0; i < run % 4; ++i, ++place) {
      EXPECT_EQ(out[place], values[run]);
      EXPECT_EQ(out[2 * kTile + place], i);
    }
}

void differencesOfATile(const int *in, int *out) {
  using Difference = cub::BlockAdjacentDifference<int, kX, kY>;
  using Discontinuity = cub::BlockDiscontinuity<int, kX, kY>;
  __shared__ Difference::TempStorage storage;
  __shared__ Discontinuity::TempStorage forFlags;
  int items[kEach], results[kEach], heads[kEach], tails[kEach];
  cub::LoadDirectBlocked(rank(), in, items);
  Difference(storage).SubtractLeftPartialTile(items, results, cub::Difference(), 200, 55);
  cub::StoreDirectBlocked(rank(), out, results);
  __syncthreads();
  Difference(storage).SubtractRightPartialTile(items, results, cub::Difference(), 200);
  cub::StoreDirectBlocked(rank(), out + kTile, results);
  __syncthreads();
  Difference(storage).SubtractRight(items, results, cub::Difference(), 55);
  cub::StoreDirectBlocked(rank(), out + 2 * kTile, results);
  Discontinuity(forFlags).FlagHeadsAndTails(heads, in[0], tails, 55, items, cub::Inequality());
  cub::StoreDirectBlocked(rank(), out + 3 * kTile, heads);
  cub::StoreDirectBlocked(rank(), out + 4 * kTile, tails);
}

TEST(CubBlock, DifferencesAtTheEdgesOfATile) {
  const std::vector<int> values = numbers(kTile), out = outputOf(differencesOfATile, 5 * kTile);
  for (int i = 0; i < kTile; ++i) {
    const int before = i == 0 ? 55 : values[i - 1], after = i + 1 < kTile ? values[i + 1] : 55;
    EXPECT_EQ(out[i], i < 200 ? values[i] - before : values[i]);
    EXPECT_EQ(out[kTile + i], i < 199 ? values[i] - after : values[i]);
    EXPECT_EQ(out[2 * kTile + i], values[i] - after);
    EXPECT_EQ(out[3 * kTile + i], i > 0 && values[i] != before);
    EXPECT_EQ(out[4 * kTile + i], values[i] != after);
  }
}

} // namespace
} // namespace relayout::host::test

// NOLINTEND(bugprone-implicit-widening-of-multiplication-result)
