// SPDX-License-Identifier: Apache-2.0
// CUB on the executor: reductions, scans and selections of whole arrays.
#include "cub_calls.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

namespace relayout::host::test {
namespace {

TEST(CubDevice, Reductions) {
  for (const int n : kSizes) {
    const std::vector<int> values = numbers(n);
    const DeviceValues<int> in(values);
    Device<int> out(1);
    Device<float> wide(1);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceReduce::Sum(storage, bytes, &in[0], &out[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(out[0], std::accumulate(values.begin(), values.end(), 0));
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceReduce::Max(storage, bytes, &in[0], &out[0], n, nullptr, true);
              }),
              cudaSuccess);
    EXPECT_EQ(out[0], n == 0 ? std::numeric_limits<int>::lowest()
                             : *std::max_element(values.begin(), values.end()));
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceReduce::Min(storage, bytes, &in[0], &out[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(out[0], n == 0 ? std::numeric_limits<int>::max()
                             : *std::min_element(values.begin(), values.end()));
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceReduce::Reduce(storage, bytes, &in[0], &wide[0], n, cub::Sum(),
                                                 0.5f);
              }),
              cudaSuccess);
    EXPECT_EQ(wide[0], std::accumulate(values.begin(), values.end(), 0.5f));
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceReduce::TransformReduce(
                    storage, bytes, &in[0], &out[0], n, cub::Sum(), [](int x) { return x * x; }, 3);
              }),
              cudaSuccess);
    EXPECT_EQ(out[0], std::inner_product(values.begin(), values.end(), values.begin(), 3));
  }
}

TEST(CubDevice, PlacesOfExtrema) {
  for (const int n : kSizes) {
    const std::vector<int> values = numbers(n);
    const DeviceValues<int> in(values);
    Device<cub::KeyValuePair<int, int>> pair(1);
    Device<int> value(1);
    Device<long long> place(1);
    const auto most = std::max_element(values.begin(), values.end());
    const auto least = std::min_element(values.begin(), values.end());
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceReduce::ArgMax(storage, bytes, &in[0], &pair[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(pair[0].key, n == 0 ? 1 : most - values.begin());
    EXPECT_EQ(pair[0].value, n == 0 ? std::numeric_limits<int>::lowest() : *most);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceReduce::ArgMin(storage, bytes, &in[0], &pair[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(pair[0].key, n == 0 ? 1 : least - values.begin());
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceReduce::ArgMin(storage, bytes, &in[0], &value[0], &place[0], n);
              }),
              cudaSuccess);
    if (n > 0) {
      EXPECT_EQ(place[0], least - values.begin());
      EXPECT_EQ(value[0], *least);
    }
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceReduce::ArgMax(storage, bytes, &in[0], &value[0], &place[0], n);
              }),
              cudaSuccess);
    if (n > 0) {
      EXPECT_EQ(place[0], most - values.begin());
    }
  }
}

/// Runs of equal items, as first places and one past the last.
std::vector<int> boundsOfRuns(const std::vector<int> &values) {
  std::vector<int> bounds;
  const int count = static_cast<int>(values.size());
  for (int i = 0; i < count; ++i)
    if (i == 0 || values[i] != values[i - 1])
      bounds.push_back(i);
  bounds.push_back(count);
  return bounds;
}

TEST(CubDevice, RunsOfKeys) {
  for (const int n : kSizes) {
    std::vector<int> keys = numbers(n), values(n);
    if (n > 30)
      keys[30] = 1000; // a run of its own
    std::iota(values.begin(), values.end(), 5);
    const DeviceValues<int> in(keys), items(values), unique(keys), sums(values);
    const DeviceValues<int> lengths(std::vector<int>(n, 0)), firsts(std::vector<int>(n, 0));
    Device<int> number(1);
    std::vector<int> distinct = keys, sum, length, first, longFirst, longLength;
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    const std::vector<int> bounds = boundsOfRuns(keys);
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      first.push_back(bounds[i]);
      length.push_back(bounds[i + 1] - bounds[i]);
      sum.push_back(std::accumulate(values.begin() + bounds[i], values.begin() + bounds[i + 1], 0));
      if (length.back() > 1) {
        longFirst.push_back(first.back());
        longLength.push_back(length.back());
      }
    }
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceReduce::ReduceByKey(storage, bytes, &in[0], &unique[0], &items[0],
                                                      &sums[0], &number[0], cub::Sum(), n);
              }),
              cudaSuccess);
    ASSERT_EQ(number[0], static_cast<int>(distinct.size()));
    EXPECT_EQ(unique.first(distinct.size()), distinct);
    EXPECT_EQ(sums.first(sum.size()), sum);

    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceRunLengthEncode::Encode(storage, bytes, &in[0], &unique[0],
                                                          &lengths[0], &number[0], n);
              }),
              cudaSuccess);
    ASSERT_EQ(number[0], static_cast<int>(distinct.size()));
    EXPECT_EQ(unique.first(distinct.size()), distinct);
    EXPECT_EQ(lengths.first(length.size()), length);

    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceRunLengthEncode::NonTrivialRuns(
                    storage, bytes, &in[0], &firsts[0], &lengths[0], &number[0], n, nullptr, false);
              }),
              cudaSuccess);
    ASSERT_EQ(number[0], static_cast<int>(longFirst.size()));
    EXPECT_EQ(firsts.first(longFirst.size()), longFirst);
    EXPECT_EQ(lengths.first(longLength.size()), longLength);

    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceSelect::UniqueByKey(storage, bytes, &in[0], &items[0], &unique[0],
                                                      &sums[0], &number[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(unique.first(distinct.size()), distinct);
    for (std::size_t i = 0; i < first.size(); ++i)
      EXPECT_EQ(sums[i], values[first[i]]);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceSelect::UniqueByKey(storage, bytes, &in[0], &items[0],
                                                      cub::DiscardOutputIterator<>(), &sums[0],
                                                      &number[0], n, [](int, int) { return true; });
              }),
              cudaSuccess);
    EXPECT_EQ(number[0], n > 0);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceSelect::Unique(storage, bytes, &in[0], &in[0], &number[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(in.first(distinct.size()), distinct);
  }
}

TEST(CubDevice, Scans) {
  for (const int n : kSizes) {
    const std::vector<int> values = numbers(n);
    const DeviceValues<int> in(values), out(values), inPlace(values);
    std::vector<int> expected(n);
    Device<int> initial(1);
    initial[0] = 17;

    std::inclusive_scan(values.begin(), values.end(), expected.begin());
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceScan::InclusiveSum(storage, bytes, &in[0], &out[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), expected);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceScan::InclusiveSum(storage, bytes, &inPlace[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(inPlace.first(n), expected);

    std::exclusive_scan(values.begin(), values.end(), expected.begin(), 0);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceScan::ExclusiveSum(storage, bytes, &in[0], &out[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), expected);

    std::exclusive_scan(values.begin(), values.end(), expected.begin(), 17);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceScan::ExclusiveScan(storage, bytes, &in[0], &out[0], cub::Sum(),
                                                      cub::FutureValue<int>(initial), n);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), expected);

    const auto larger = [](int a, int b) { return std::max(a, b); };
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), larger);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceScan::InclusiveScan(storage, bytes, &in[0], &out[0], cub::Max(),
                                                      n, nullptr, true);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), expected);
    std::inclusive_scan(values.begin(), values.end(), expected.begin(), larger, 20);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceScan::InclusiveScanInit(storage, bytes, &in[0], &out[0],
                                                          cub::Max(), 20, n);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), expected);
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), -60, larger);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceScan::ExclusiveScan(storage, bytes, &in[0], cub::Max(), -60, n,
                                                      nullptr);
              }),
              cudaSuccess);
    EXPECT_EQ(in.first(n), expected);
  }
}

TEST(CubDevice, SumsOfSmallTypesDoNotWrap) {
  const DeviceValues<unsigned char> in(std::vector<unsigned char>(10, 100));
  Device<int> sum(1), sums(10);
  std::size_t bytes = 1;
  cub::DeviceReduce::Sum(&bytes, bytes, &in[0], &sum[0], 10);
  EXPECT_EQ(sum[0], 1000);
  cub::DeviceScan::InclusiveSum(&bytes, bytes, &in[0], &sums[0], 10);
  EXPECT_EQ(sums[9], 1000);
}

TEST(CubDevice, ScansByKey) {
  for (const int n : kSizes) {
    const std::vector<int> keys = numbers(n);
    std::vector<int> values(n), inclusive(n), exclusive(n);
    std::iota(values.begin(), values.end(), 1);
    const std::vector<int> bounds = boundsOfRuns(keys);
    for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
      std::inclusive_scan(values.begin() + bounds[i], values.begin() + bounds[i + 1],
                          inclusive.begin() + bounds[i]);
      std::exclusive_scan(values.begin() + bounds[i], values.begin() + bounds[i + 1],
                          exclusive.begin() + bounds[i], 9);
    }
    const DeviceValues<int> in(keys), items(values), out(values);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceScan::InclusiveSumByKey(storage, bytes, &in[0], &items[0],
                                                          &out[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), inclusive);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceScan::InclusiveScanByKey(storage, bytes, &in[0], &items[0],
                                                           &out[0], cub::Sum(), n, cub::Equality());
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), inclusive);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceScan::ExclusiveScanByKey(storage, bytes, &in[0], &items[0],
                                                           &out[0], cub::Sum(), 9, n);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), exclusive);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceScan::ExclusiveSumByKey(
                    storage, bytes, &in[0], &items[0], &items[0], n, [](int, int) { return true; },
                    nullptr);
              }),
              cudaSuccess);
    std::exclusive_scan(values.begin(), values.end(), exclusive.begin(), 0);
    EXPECT_EQ(items.first(n), exclusive);
  }
}

TEST(CubDevice, SelectionsAndPartitions) {
  const auto isOdd = [](int x) { return x % 2 != 0; };
  const auto isLarge = [](int x) { return x > 10; };
  for (const int n : kSizes) {
    const std::vector<int> values = numbers(n);
    std::vector<int> odd, even, large, small, rest, flags;
    for (const int x : values) {
      (isOdd(x) ? odd : even).push_back(x);
      (isLarge(x) ? large : isOdd(x) ? small : rest).push_back(x);
      flags.push_back(isOdd(x) ? 3 : 0);
    }
    std::vector<int> bothSides = odd;
    bothSides.insert(bothSides.end(), even.rbegin(), even.rend());
    const DeviceValues<int> in(values), of(flags), out(values), second(values), third(values);
    Device<int> number(2);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceSelect::FlaggedIf(storage, bytes, &in[0], &of[0], &out[0],
                                                    &number[0], n, [](int f) { return f == 3; });
              }),
              cudaSuccess);
    ASSERT_EQ(number[0], static_cast<int>(odd.size()));
    EXPECT_EQ(out.first(odd.size()), odd);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DevicePartition::Flagged(storage, bytes, &in[0], &of[0], &out[0],
                                                     &number[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(number[0], static_cast<int>(odd.size()));
    EXPECT_EQ(out.first(n), bothSides);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DevicePartition::If(storage, bytes, &in[0], &out[0], &number[0], n,
                                                isOdd, nullptr, false);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), bothSides);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DevicePartition::If(storage, bytes, &in[0], &out[0], &second[0],
                                                &third[0], &number[0], n, isLarge, isOdd);
              }),
              cudaSuccess);
    EXPECT_EQ(number[0], static_cast<int>(large.size()));
    EXPECT_EQ(number[1], static_cast<int>(small.size()));
    EXPECT_EQ(out.first(large.size()), large);
    EXPECT_EQ(second.first(small.size()), small);
    EXPECT_EQ(third.first(rest.size()), rest);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceSelect::Flagged(storage, bytes, &in[0], &of[0], &number[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(in.first(odd.size()), odd);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceSelect::If(storage, bytes, &in[0], &number[0],
                                             static_cast<int>(odd.size()), isLarge);
              }),
              cudaSuccess);
    EXPECT_EQ(number[0], std::count_if(odd.begin(), odd.end(), isLarge));
  }
}

} // namespace
} // namespace relayout::host::test
