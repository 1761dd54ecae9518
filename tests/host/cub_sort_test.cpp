// SPDX-License-Identifier: Apache-2.0
// CUB on the executor: sorts and merges of whole arrays.
#include "cub_calls.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace relayout::host::test {
namespace {

using testing::ElementsAre;

/// Keys with their places, sorted stably.
template <class Less> std::vector<int> sortedPlaces(const std::vector<int> &keys, Less less) {
  std::vector<int> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  std::stable_sort(places.begin(), places.end(),
                   [&](int a, int b) { return less(keys[a], keys[b]); });
  return places;
}
std::vector<int> keysAt(const std::vector<int> &keys, const std::vector<int> &places) {
  std::vector<int> result;
  for (const int place : places)
    result.push_back(keys[place]);
  return result;
}
std::vector<int> countUp(int count) {
  std::vector<int> result(count);
  std::iota(result.begin(), result.end(), 0);
  return result;
}

TEST(CubSort, RadixSortsAreStable) {
  for (const int n : kSizes) {
    const std::vector<int> keys = numbers(n);
    const std::vector<int> up = sortedPlaces(keys, std::less<>());
    const std::vector<int> down = sortedPlaces(keys, std::greater<>());
    const DeviceValues<int> in(keys), out(keys), values(countUp(n)), valuesOut(countUp(n));
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceRadixSort::SortPairs(storage, bytes, &in[0], &out[0], &values[0],
                                                       &valuesOut[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(valuesOut.first(n), up);
    EXPECT_EQ(out.first(n), keysAt(keys, up));
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceRadixSort::SortKeysDescending(storage, bytes, &in[0], &out[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), keysAt(keys, down));
    cub::DoubleBuffer<int> twoKeys(in, out), twoValues(values, valuesOut);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceRadixSort::SortPairsDescending(storage, bytes, twoKeys, twoValues,
                                                                 n, 0, 32, nullptr, false);
              }),
              cudaSuccess);
    EXPECT_EQ(std::vector<int>(twoValues.Current(), twoValues.Current() + n), down);
    EXPECT_EQ(std::vector<int>(twoKeys.Current(), twoKeys.Current() + n), keysAt(keys, down));
  }
}

TEST(CubSort, BitsOfKeysCountAsTheNumbersDo) {
  std::size_t bytes = 1;
  const DeviceValues<double> reals({2, -INFINITY, 0.0, -0x1p-1070, -0.0, -3, NAN});
  cub::DeviceRadixSort::SortKeys(&bytes, bytes, &reals[0], &reals[0], 7);
  EXPECT_EQ(reals[0], -INFINITY);
  EXPECT_EQ(reals[2], -0x1p-1070);
  EXPECT_FALSE(std::signbit(reals[3])) << "zeros are equal and stay in order";
  EXPECT_TRUE(std::signbit(reals[4]));
  EXPECT_TRUE(std::isnan(reals[6]));
  const DeviceValues<signed char> small({5, -128, 127, -1});
  cub::DeviceRadixSort::SortKeysDescending(&bytes, bytes, &small[0], &small[0], 4);
  EXPECT_THAT(small.first(4), ElementsAre(127, 5, -1, -128));
  // Bits 4 to 7 alone.
  const DeviceValues<unsigned> words({0x31, 0x12, 0x33, 0xf04});
  cub::DeviceRadixSort::SortKeys(&bytes, bytes, &words[0], &words[0], 4, 4, 8);
  EXPECT_THAT(words.first(4), ElementsAre(0xf04, 0x12, 0x31, 0x33));
}

struct Dated {
  float price;
  int day;
};
struct ByDayAndPrice {
  std::tuple<int &, float &> operator()(Dated &dated) const { return {dated.day, dated.price}; }
};

TEST(CubSort, KeysThatADecomposerTakesApart) {
  const DeviceValues<Dated> keys({{2, 7}, {1, 7}, {5, 3}});
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceRadixSort::SortKeys(storage, bytes, &keys[0], &keys[0], 3,
                                                    ByDayAndPrice());
            }),
            cudaSuccess);
  EXPECT_EQ(keys[0].price, 5);
  EXPECT_EQ(keys[1].price, 1);
  EXPECT_EQ(keys[2].price, 2);
}

TEST(CubSort, MergeSorts) {
  const auto byLastDigit = [](int a, int b) { return (a + 40) % 10 < (b + 40) % 10; };
  for (const int n : kSizes) {
    const std::vector<int> keys = numbers(n);
    const std::vector<int> places = sortedPlaces(keys, byLastDigit);
    const DeviceValues<int> in(keys), out(keys), values(countUp(n)), valuesOut(countUp(n));
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceMergeSort::SortPairsCopy(storage, bytes, &in[0], &values[0],
                                                           &out[0], &valuesOut[0], n, byLastDigit);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), keysAt(keys, places));
    EXPECT_EQ(valuesOut.first(n), places);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceMergeSort::StableSortKeysCopy(storage, bytes, &in[0],
                                                                &valuesOut[0], n, byLastDigit);
              }),
              cudaSuccess);
    EXPECT_EQ(valuesOut.first(n), keysAt(keys, places));
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceMergeSort::StableSortPairs(storage, bytes, &in[0], &values[0], n,
                                                             byLastDigit);
              }),
              cudaSuccess);
    EXPECT_EQ(values.first(n), places);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceMergeSort::SortKeys(storage, bytes, &in[0], n, std::less<>());
              }),
              cudaSuccess);
    EXPECT_TRUE(std::is_sorted(&in[0], &in[0] + n));
  }
}

TEST(CubSort, SegmentsAreSortedAlone) {
  constexpr int kAll = 100, kSegments = 4;
  const std::vector<int> keys = numbers(kAll), bounds = {3, 3, 40, 41, 99};
  std::vector<int> up = keys, down = keys, places = countUp(kAll);
  for (int i = 0; i < kSegments; ++i) {
    std::sort(up.begin() + bounds[i], up.begin() + bounds[i + 1]);
    std::sort(down.begin() + bounds[i], down.begin() + bounds[i + 1], std::greater<>());
    std::stable_sort(places.begin() + bounds[i], places.begin() + bounds[i + 1],
                     [&](int a, int b) { return keys[a] < keys[b]; });
  }
  const DeviceValues<int> in(keys), out(keys), offsets(bounds), values(countUp(kAll)),
      valuesOut(countUp(kAll));
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSegmentedRadixSort::SortPairs(
                  storage, bytes, &in[0], &out[0], &values[0], &valuesOut[0], kAll, kSegments,
                  &offsets[0], &offsets[1], 0, 32, nullptr, true);
            }),
            cudaSuccess);
  EXPECT_EQ(out.first(kAll), up);
  EXPECT_EQ(valuesOut.first(kAll), places);
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSegmentedRadixSort::SortKeysDescending(
                  storage, bytes, &in[0], &out[0], kAll, kSegments, &offsets[0], &offsets[1]);
            }),
            cudaSuccess);
  EXPECT_EQ(out.first(kAll), down);
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSegmentedSort::SortKeys(storage, bytes, &in[0], &out[0], kAll,
                                                        kSegments, &offsets[0], &offsets[1]);
            }),
            cudaSuccess);
  EXPECT_EQ(out.first(kAll), up);
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSegmentedSort::StableSortKeysDescending(
                  storage, bytes, &in[0], &out[0], kAll, kSegments, &offsets[0], &offsets[1]);
            }),
            cudaSuccess);
  EXPECT_EQ(out.first(kAll), down);
  cub::DoubleBuffer<int> twoKeys(in, out), twoValues(values, valuesOut);
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSegmentedSort::StableSortPairs(
                  storage, bytes, twoKeys, twoValues, kAll, kSegments, &offsets[0], &offsets[1]);
            }),
            cudaSuccess);
  EXPECT_EQ(std::vector<int>(twoKeys.Current(), twoKeys.Current() + kAll), up);
  EXPECT_EQ(std::vector<int>(twoValues.Current(), twoValues.Current() + kAll), places);
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSegmentedRadixSort::SortKeysDescending(
                  storage, bytes, twoKeys, kAll, kSegments, &offsets[0], &offsets[1]);
            }),
            cudaSuccess);
  EXPECT_EQ(std::vector<int>(twoKeys.Current(), twoKeys.Current() + kAll), down);
}

TEST(CubSort, Merges) {
  for (const int n : kSizes) {
    std::vector<int> a = numbers(n), b = numbers(n / 2 + 1);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    std::vector<int> merged(a.size() + b.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), merged.begin());
    const int ofB = static_cast<int>(b.size());
    const DeviceValues<int> first(a), second(b), out(merged), ofFirst(std::vector<int>(n, 1)),
        ofSecond(std::vector<int>(ofB, 2)), source(merged);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceMerge::MergeKeys(storage, bytes, &first[0], n, &second[0], ofB,
                                                   &out[0]);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(merged.size()), merged);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceMerge::MergePairs(storage, bytes, &first[0], &ofFirst[0], n,
                                                    &second[0], &ofSecond[0], ofB, &out[0],
                                                    &source[0], std::less<>());
              }),
              cudaSuccess);
    for (std::size_t i = 1; i < merged.size(); ++i)
      if (merged[i] == merged[i - 1]) {
        EXPECT_LE(source[i - 1], source[i]) << "of equal keys the first array's come first";
      }
  }
}

} // namespace
} // namespace relayout::host::test
