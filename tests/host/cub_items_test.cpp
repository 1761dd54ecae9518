// SPDX-License-Identifier: Apache-2.0
// CUB on the executor: histograms, differences, functions and copies of each item.
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

using testing::ElementsAre;

TEST(CubDevice, Histograms) {
  const DeviceValues<float> samples({-1, 0, 0.5f, 2.2f, 2.4f, 2.5f, 9.9f, 10, 11, NAN});
  const DeviceValues<int> bins(std::vector<int>(4, -1));
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceHistogram::HistogramEven(storage, bytes, &samples[0], &bins[0], 5,
                                                         0.0f, 10.0f, 10);
            }),
            cudaSuccess);
  EXPECT_THAT(bins.first(4), ElementsAre(4, 1, 0, 1));
  const DeviceValues<float> levels({0, 0.5f, 2.4f, 10, 10.5f});
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceHistogram::HistogramRange(storage, bytes, &samples[0], &bins[0], 5,
                                                          &levels[0], 9);
            }),
            cudaSuccess);
  EXPECT_THAT(bins.first(4), ElementsAre(1, 2, 3, 1));
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceHistogram::HistogramEven(storage, bytes, &samples[0], &bins[0], 5,
                                                         0.0f, 10.0f, 0);
            }),
            cudaSuccess);
  EXPECT_THAT(bins.first(4), ElementsAre(0, 0, 0, 0));
}

TEST(CubDevice, HistogramsOfChannelsAndRows) {
  // Rows of two pixels of three channels and two bytes more; two channels count.
  constexpr int kRows = 3, kRowBytes = 8;
  std::vector<unsigned char> pixels;
  std::vector<int> first(4), second(8), firstOfLevels(2);
  for (int row = 0; row < kRows; ++row)
    for (int i = 0; i < kRowBytes; ++i) {
      const int sample = (row * 41 + i * 67) % 256;
      pixels.push_back(static_cast<unsigned char>(sample));
      if (i < 6 && i % 3 == 0) {
        ++first[sample / 64];
        if (sample >= 10 && sample < 200)
          ++firstOfLevels[sample >= 30];
      }
      if (i < 6 && i % 3 == 1)
        ++second[sample / 32];
    }
  const DeviceValues<unsigned char> in(pixels);
  const DeviceValues<int> a(std::vector<int>(8, -1)), b(std::vector<int>(8, -1));
  int *histograms[2] = {a, b};
  const int levels[2] = {5, 9};
  const int lower[2] = {0, 0}, upper[2] = {256, 256};
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceHistogram::MultiHistogramEven<3, 2>(
                  storage, bytes, &in[0], histograms, levels, lower, upper, 2, kRows,
                  std::size_t{kRowBytes});
            }),
            cudaSuccess);
  EXPECT_EQ(a.first(4), first);
  EXPECT_EQ(b.first(8), second);

  const DeviceValues<int> bounds({10, 30, 200});
  const std::array<int *, 2> arrays = {a, b};
  const std::array<int, 2> threeLevels = {3, 3};
  const std::array<const int *, 2> boundsOf = {bounds, bounds};
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceHistogram::MultiHistogramRange<3, 2>(storage, bytes, &in[0], arrays,
                                                                     threeLevels, boundsOf, 2,
                                                                     kRows, std::size_t{kRowBytes});
            }),
            cudaSuccess);
  EXPECT_EQ(a.first(2), firstOfLevels);
  // The first two samples of each row.
  std::vector<int> counts(8);
  for (int row = 0; row < kRows; ++row)
    for (int i = 0; i < 2; ++i)
      ++counts[pixels[row * kRowBytes + i] / 32];
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceHistogram::HistogramEven(storage, bytes, &in[0], &a[0], 9, 0, 256,
                                                         2, kRows, std::size_t{kRowBytes});
            }),
            cudaSuccess);
  EXPECT_EQ(a.first(8), counts);
}

TEST(CubDevice, ReductionsOfSegments) {
  const std::vector<int> values = numbers(100);
  const std::vector<int> bounds = {0, 0, 7, 50, 50, 99};
  constexpr int kSegments = 5;
  const DeviceValues<int> in(values), offsets(bounds), out(std::vector<int>(kSegments, 0));
  Device<cub::KeyValuePair<int, int>> pairs(kSegments);
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSegmentedReduce::Sum(storage, bytes, &in[0], &out[0], kSegments,
                                                     &offsets[0], &offsets[1]);
            }),
            cudaSuccess);
  for (int i = 0; i < kSegments; ++i)
    EXPECT_EQ(out[i], std::accumulate(&values[bounds[i]], &values[bounds[i + 1]], 0));
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSegmentedReduce::Reduce(storage, bytes, &in[0], &out[0], kSegments,
                                                        &offsets[0], &offsets[1], cub::Max(), -7);
            }),
            cudaSuccess);
  for (int i = 0; i < kSegments; ++i)
    EXPECT_EQ(out[i], std::accumulate(&values[bounds[i]], &values[bounds[i + 1]], -7,
                                      [](int a, int b) { return std::max(a, b); }));
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSegmentedReduce::ArgMin(storage, bytes, &in[0], &pairs[0],
                                                        kSegments, &offsets[0], &offsets[1]);
            }),
            cudaSuccess);
  EXPECT_EQ(pairs[0].key, 1);
  EXPECT_EQ(pairs[0].value, std::numeric_limits<int>::max());
  for (const int i : {1, 2, 4})
    EXPECT_EQ(pairs[i].key,
              std::min_element(&values[bounds[i]], &values[bounds[i + 1]]) - &values[bounds[i]]);
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSegmentedReduce::Min(storage, bytes, &in[0], &out[0], kSegments,
                                                     &offsets[0], &offsets[1], nullptr, true);
            }),
            cudaSuccess);
  EXPECT_EQ(out[0], std::numeric_limits<int>::max());
  EXPECT_EQ(out[4], *std::min_element(&values[50], &values[99]));
}

TEST(CubDevice, DifferencesOfAdjacentItems) {
  for (const int n : kSizes) {
    const std::vector<int> values = numbers(n);
    std::vector<int> left(n), right = values;
    std::adjacent_difference(values.begin(), values.end(), left.begin());
    for (int i = 0; i + 1 < n; ++i)
      right[i] = values[i] + 2 * values[i + 1];
    const DeviceValues<int> in(values), out(values);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceAdjacentDifference::SubtractLeftCopy(storage, bytes, &in[0],
                                                                       &out[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), left);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceAdjacentDifference::SubtractRightCopy(
                    storage, bytes, &in[0], &out[0], n, [](int a, int b) { return a + 2 * b; });
              }),
              cudaSuccess);
    EXPECT_EQ(out.first(n), right);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceAdjacentDifference::SubtractLeft(storage, bytes, &in[0], n);
              }),
              cudaSuccess);
    EXPECT_EQ(in.first(n), left);
    std::copy(values.begin(), values.end(), &in[0]);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceAdjacentDifference::SubtractRight(
                    storage, bytes, &in[0], n, [](int a, int b) { return a + 2 * b; });
              }),
              cudaSuccess);
    EXPECT_EQ(in.first(n), right);
  }
}

TEST(CubDevice, FunctionsOfEachItem) {
  for (const int n : kSizes) {
    const std::vector<int> values = numbers(n);
    std::vector<int> expected = values;
    const DeviceValues<int> in(values), out(values);
    int *const items = in;
    for (int &x : expected)
      x = x * 3 + 1;
    EXPECT_EQ(cub::DeviceFor::Bulk(n, [=](int i) { items[i] *= 3; }), cudaSuccess);
    EXPECT_EQ(cub::DeviceFor::ForEach(items, items + n, [](int &x) { ++x; }), cudaSuccess);
    EXPECT_EQ(in.first(n), expected);
    int sum = 0;
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceFor::ForEachCopyN(storage, bytes, items, n,
                                                    [&](int x) { sum += x; });
              }),
              cudaSuccess);
    EXPECT_EQ(sum, std::accumulate(expected.begin(), expected.end(), 0));
    EXPECT_EQ(cub::DeviceTransform::Transform(items, &out[0], n, [](int x) { return x - 5; }),
              cudaSuccess);
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(out[i], expected[i] - 5);
    EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
                return cub::DeviceTransform::Transform(
                    storage, bytes, std::tuple(items, &out[0], cub::CountingInputIterator<int>(4)),
                    &out[0], n, [](int a, int b, int i) { return a - b + i; });
              }),
              cudaSuccess);
    for (int i = 0; i < n; ++i)
      EXPECT_EQ(out[i], 9 + i);
  }
}

TEST(CubDevice, CopiesOfManyRanges) {
  const std::vector<int> values = numbers(20);
  const DeviceValues<int> in(values), out(std::vector<int>(20, 0));
  const std::vector<int *> from = {&in[0], &in[5], &in[7]}, to = {&out[10], &out[0], &out[4]};
  const std::vector<int> sizes = {5, 0, 3};
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceCopy::Batched(storage, bytes, from.begin(), to.begin(),
                                              sizes.begin(), 3);
            }),
            cudaSuccess);
  EXPECT_EQ(out[0], 0);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(out[10 + i], values[i]);
  const std::vector<void *> fromBytes = {&in[9]}, toBytes = {&out[1]};
  const std::vector<std::size_t> bytesOf = {2 * sizeof(int)};
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceMemcpy::Batched(storage, bytes, fromBytes.begin(), toBytes.begin(),
                                                bytesOf.begin(), 1);
            }),
            cudaSuccess);
  EXPECT_THAT(out.first(7),
              ElementsAre(0, values[9], values[10], 0, values[7], values[8], values[9]));
}

} // namespace
} // namespace relayout::host::test
