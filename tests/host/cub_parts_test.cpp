// SPDX-License-Identifier: Apache-2.0
// CUB on the executor: iterators, operators and the other parts that programs use by themselves.
#include "cub_calls.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

namespace relayout::host::test {
namespace {

using testing::ElementsAre;

/// What a random access iterator promises, of one that yields `values`.
template <class In, class T> void expectIterator(In in, const std::vector<T> &values) {
  const auto count = static_cast<std::ptrdiff_t>(values.size());
  In at = in;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    EXPECT_EQ(in[i], values[i]);
    EXPECT_EQ(*(in + i), values[i]);
    EXPECT_EQ(*at++, values[i]);
  }
  EXPECT_EQ(at - in, count);
  EXPECT_TRUE(in < at && at > in && in <= in && at >= in && in != at);
  at -= count;
  EXPECT_TRUE(at == in);
  EXPECT_EQ(*++at, values[1]);
  EXPECT_EQ(*--at, values[0]);
  EXPECT_EQ(*(1 + at), values[1]);
}

TEST(CubParts, Iterators) {
  const std::vector<int> values = numbers(7);
  const DeviceValues<int> in(values);
  expectIterator(cub::CountingInputIterator<long long>(5), std::vector<long long>{5, 6, 7});
  expectIterator(cub::ConstantInputIterator<int>(4), std::vector<int>{4, 4, 4});
  expectIterator(cub::CacheModifiedInputIterator<cub::LOAD_CS, int>(&in[0]), values);
  expectIterator(cub::CacheModifiedOutputIterator<cub::STORE_CS, int>(&in[0]), values);
  cub::TexObjInputIterator<int> texture;
  EXPECT_EQ(texture.BindTexture(&in[0], 7 * sizeof(int)), cudaSuccess);
  expectIterator(texture, values);
  EXPECT_EQ(texture.UnbindTexture(), cudaSuccess);
  const auto doubled = [](int x) { return 2 * x; };
  std::vector<int> expected = values;
  for (int &x : expected)
    x *= 2;
  expectIterator(cub::TransformInputIterator<int, decltype(doubled), int *>(&in[0], doubled),
                 expected);
  std::vector<cub::KeyValuePair<int, int>> pairs;
  for (int i = 0; i < 7; ++i)
    pairs.emplace_back(i, values[i]);
  expectIterator(cub::ArgIndexInputIterator<int *, int>(&in[0]), pairs);
}

TEST(CubParts, OutputThroughIterators) {
  const std::vector<int> values = numbers(7);
  const DeviceValues<int> in(values), out(std::vector<int>(7, 0));
  Device<int> number(1);
  const auto isOdd = [](int x) { return x % 2 != 0; };
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSelect::If(storage, bytes, &in[0], cub::DiscardOutputIterator<>(),
                                           &number[0], 7, isOdd);
            }),
            cudaSuccess);
  EXPECT_EQ(number[0], std::count_if(values.begin(), values.end(), isOdd));
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceScan::InclusiveSum(
                  storage, bytes, &in[0],
                  cub::CacheModifiedOutputIterator<cub::STORE_CG, int>(&out[0]), 7);
            }),
            cudaSuccess);
  EXPECT_EQ(out[6], std::accumulate(values.begin(), values.end(), 0));
}

TEST(CubParts, Operators) {
  using Pair = cub::KeyValuePair<int, int>;
  EXPECT_EQ(cub::ArgMax()(Pair(4, 9), Pair(2, 9)), Pair(2, 9));
  EXPECT_EQ(cub::ArgMin()(Pair(4, 9), Pair(2, 8)), Pair(2, 8));
  EXPECT_EQ(cub::CastOp<int>()(2.9f), 2);
  EXPECT_EQ(cub::Difference()(3, 5), -2);
  EXPECT_FALSE(cub::InequalityWrapper<cub::Equality>(cub::Equality())(1, 1));
  EXPECT_EQ(cub::SwizzleScanOp<cub::Difference>(cub::Difference())(3, 5), 2);
  using ByKey = cub::ReduceByKeyOp<cub::Sum>;
  EXPECT_EQ(ByKey()(Pair(1, 10), Pair(1, 5)), Pair(1, 15));
  EXPECT_EQ(ByKey()(Pair(1, 10), Pair(2, 5)), Pair(2, 5));
  using BySegment = cub::ReduceBySegmentOp<cub::Sum>;
  EXPECT_EQ(BySegment()(Pair(1, 10), Pair(0, 5)), Pair(1, 15));
  EXPECT_EQ(BySegment()(Pair(1, 10), Pair(1, 5)), Pair(2, 5));
}

TEST(CubParts, FunctionsOfOneThread) {
  const int items[] = {3, -1, 4, 1, -5};
  EXPECT_EQ(cub::ThreadReduce(items, cub::Sum()), 2);
  EXPECT_EQ(cub::ThreadReduce(items, cub::Max(), 10), 10);
  int results[5];
  EXPECT_EQ(cub::ThreadScanExclusive(items, results, cub::Sum(), 100), 102);
  EXPECT_THAT(results, ElementsAre(100, 103, 102, 106, 107));
  EXPECT_EQ(cub::ThreadScanInclusive(items, results, cub::Max()), 4);
  EXPECT_THAT(results, ElementsAre(3, 3, 4, 4, 4));
  const int rising[] = {1, 3, 3, 7};
  EXPECT_EQ(cub::LowerBound(rising, 4, 3), 1);
  EXPECT_EQ(cub::UpperBound(rising, 4, 3), 3);
  EXPECT_EQ(cub::UpperBound(rising, 0, 3), 0);
  int2 place{};
  const int others[] = {2, 3, 9};
  cub::MergePathSearch(4, rising, others, 4, 3, place);
  EXPECT_EQ(place.x, 3);
  EXPECT_EQ(place.y, 1);
  int value = 8;
  cub::ThreadStore<cub::STORE_WT>(&value, 9);
  EXPECT_EQ(cub::ThreadLoad<cub::LOAD_VOLATILE>(&value), 9);
  int keys[] = {5, 1, 5, 0};
  char letters[] = {'a', 'b', 'c', 'd'};
  cub::StableOddEvenSort(keys, letters, cub::detail::Less());
  EXPECT_THAT(letters, ElementsAre('d', 'b', 'a', 'c'));
}

TEST(CubParts, Constants) {
  static_assert(cub::Log2<1>::VALUE == 0 && cub::Log2<32>::VALUE == 5 && cub::Log2<33>::VALUE == 6);
  static_assert(cub::PowerOfTwo<64>::VALUE && !cub::PowerOfTwo<48>::VALUE);
  static_assert(std::is_same_v<cub::If<(2 > 1), int, char>::Type, int>);
  static_assert(std::is_same_v<cub::CubVector<float, 4>::Type, float4>);
  static_assert(CUB_MIN(3, 4) == 3 && CUB_MAX(3, 4) == 4);
  static_assert(CUB_ROUND_UP_NEAREST(33, 32) == 64 && CUB_ROUND_DOWN_NEAREST(33, 32) == 32);
  static_assert(CUB_QUOTIENT_CEILING(33, 32) == 2 && CUB_QUOTIENT_FLOOR(33, 32) == 1);
  static_assert(cub::DivideAndRoundUp(64, 32) == 2);
  static_assert(CUB_MAJOR_VERSION == 3);
  EXPECT_EQ(cub::Traits<double>::Lowest(), std::numeric_limits<double>::lowest());
}

TEST(CubParts, BuffersThatChangePlaces) {
  int a = 0, b = 0;
  cub::DoubleBuffer<int> buffers(&a, &b);
  EXPECT_EQ(buffers.Current(), &a);
  buffers.selector ^= 1;
  EXPECT_EQ(buffers.Current(), &b);
  EXPECT_EQ(buffers.Alternate(), &a);
}

TEST(CubParts, TheAllocatorAllocatesDeviceMemory) {
  cub::CachingDeviceAllocator allocator(8, 3, 7);
  void *pointer = nullptr;
  CubDebugExit(allocator.DeviceAllocate(&pointer, 64));
  cudaPointerAttributes attributes{};
  EXPECT_EQ(cudaPointerGetAttributes(&attributes, pointer), cudaSuccess);
  EXPECT_EQ(attributes.type, cudaMemoryTypeDevice);
  CubDebugExit(allocator.DeviceFree(pointer));
  // Null would ask for the size.
  CubDebugExit(allocator.DeviceAllocate(&pointer, 0));
  EXPECT_NE(pointer, nullptr);
  CubDebugExit(allocator.DeviceFree(0, pointer));
  CubDebugExit(allocator.FreeAllCached());
}

TEST(CubParts, OneStorageForSeveralAllocations) {
  void *parts[3] = {};
  const std::size_t sizes[] = {1, 0, 300};
  std::size_t bytes = 0;
  EXPECT_EQ(cub::AliasTemporaries(nullptr, bytes, parts, sizes), cudaSuccess);
  const Device<char> storage(bytes);
  EXPECT_EQ(cub::AliasTemporaries(storage, bytes, parts, sizes), cudaSuccess);
  EXPECT_GE(static_cast<char *>(parts[2]), static_cast<char *>(parts[0]) + 1);
  EXPECT_LE(static_cast<char *>(parts[2]) + 300, static_cast<char *>(storage) + bytes);
  bytes = 10;
  EXPECT_EQ(cub::AliasTemporaries(storage, bytes, parts, sizes), cudaErrorInvalidValue);
}

TEST(CubParts, ProductsOfASparseMatrix) {
  const DeviceValues<double> values({2, 3, 4}), x({1, 10, 100}), y({-1, -1, -1});
  const DeviceValues<int> rows({0, 2, 2, 3}), columns({0, 2, 1});
  EXPECT_EQ(inTwoCalls([&](void *storage, std::size_t &bytes) {
              return cub::DeviceSpmv::CsrMV(storage, bytes, &values[0], &rows[0], &columns[0],
                                            &x[0], &y[0], 3, 3, 3);
            }),
            cudaSuccess);
  EXPECT_THAT(y.first(3), ElementsAre(302, 0, 40));
}

} // namespace
} // namespace relayout::host::test
