// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: the algorithms for whole arrays, as plain loops of the host over device
// memory. Each is first asked for its temporary storage, of which it needs none.
#pragma once

#include "../thread/thread_operators.cuh"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <vector>

namespace cub {

namespace detail {

/// Answers the first call of each pair, or runs the second.
template <class Run> cudaError_t run(void *storage, size_t &bytes, Run algorithm) {
  if (storage == nullptr)
    bytes = 1;
  else
    algorithm();
  return cudaSuccess;
}

template <class In> using ValueOf = typename std::iterator_traits<In>::value_type;
/// What a sum is formed in: the output's type, for sums of flags, where it has one.
template <class In, class Out>
using SumOf = std::conditional_t<std::is_void_v<ValueOf<Out>>, ValueOf<In>, ValueOf<Out>>;

/// The order that sorts the keys stably; bits outside [first, last) do not count.
template <class Key, class Count>
std::vector<size_t> sortedOrder(const Key *keys, Count count, int firstBit, int lastBit,
                                bool isDescending) {
  std::vector<size_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), size_t{0});
  const bool allBits = firstBit == 0 && lastBit == static_cast<int>(sizeof(Key) * 8);
  const auto before = [&](const Key &a, const Key &b) {
    if (allBits)
      return a < b;
    unsigned long long x = 0, y = 0;
    __builtin_memcpy(&x, &a, sizeof(Key) < 8 ? sizeof(Key) : 8);
    __builtin_memcpy(&y, &b, sizeof(Key) < 8 ? sizeof(Key) : 8);
    const unsigned long long mask =
        (lastBit - firstBit >= 64 ? ~0ull : (1ull << (lastBit - firstBit)) - 1) << firstBit;
    return (x & mask) < (y & mask);
  };
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return isDescending ? before(keys[b], keys[a]) : before(keys[a], keys[b]);
  });
  return order;
}

template <class T> void permute(const T *from, T *to, const std::vector<size_t> &order) {
  std::vector<T> sorted;
  sorted.reserve(order.size());
  for (const size_t place : order)
    sorted.push_back(from[place]);
  std::copy(sorted.begin(), sorted.end(), to);
}

} // namespace detail

struct DeviceReduce {
  template <class In, class Out, class Operation, class T>
  static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, int count,
                            Operation operation, T initial, cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      for (int i = 0; i < count; ++i)
        initial = operation(initial, in[i]);
      *out = initial;
    });
  }
  template <class In, class Out>
  static cudaError_t Sum(void *storage, size_t &bytes, In in, Out out, int count,
                         cudaStream_t = 0) {
    return Reduce(storage, bytes, in, out, count, cub::Sum(), detail::SumOf<In, Out>());
  }
  template <class In, class Out>
  static cudaError_t Max(void *storage, size_t &bytes, In in, Out out, int count,
                         cudaStream_t = 0) {
    return Reduce(storage, bytes, in, out, count, cub::Max(),
                  std::numeric_limits<detail::ValueOf<In>>::lowest());
  }
  template <class In, class Out>
  static cudaError_t Min(void *storage, size_t &bytes, In in, Out out, int count,
                         cudaStream_t = 0) {
    return Reduce(storage, bytes, in, out, count, cub::Min(),
                  std::numeric_limits<detail::ValueOf<In>>::max());
  }
  template <class In, class Out>
  static cudaError_t ArgMax(void *storage, size_t &bytes, In in, Out out, int count,
                            cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      const auto place = std::max_element(in, in + count) - in;
      *out = {static_cast<int>(place), in[place]};
    });
  }
  template <class In, class Out>
  static cudaError_t ArgMin(void *storage, size_t &bytes, In in, Out out, int count,
                            cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      const auto place = std::min_element(in, in + count) - in;
      *out = {static_cast<int>(place), in[place]};
    });
  }
};

struct DeviceScan {
  template <class In, class Out, class Operation>
  static cudaError_t InclusiveScan(void *storage, size_t &bytes, In in, Out out,
                                   Operation operation, int count, cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      for (int i = 0; i < count; ++i)
        out[i] = i == 0 ? in[0] : operation(out[i - 1], in[i]);
    });
  }
  template <class In, class Out, class Operation, class T>
  static cudaError_t ExclusiveScan(void *storage, size_t &bytes, In in, Out out,
                                   Operation operation, T initial, int count, cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      for (int i = 0; i < count; ++i) {
        const T next = operation(initial, in[i]);
        out[i] = initial;
        initial = next;
      }
    });
  }
  template <class In, class Out>
  static cudaError_t InclusiveSum(void *storage, size_t &bytes, In in, Out out, int count,
                                  cudaStream_t = 0) {
    return InclusiveScan(storage, bytes, in, out, cub::Sum(), count);
  }
  template <class In, class Out>
  static cudaError_t ExclusiveSum(void *storage, size_t &bytes, In in, Out out, int count,
                                  cudaStream_t = 0) {
    return ExclusiveScan(storage, bytes, in, out, cub::Sum(), detail::ValueOf<In>(), count);
  }
};

struct DeviceRadixSort {
#define RELAYOUT_SORT(suffix, isDescending)                                                        \
  template <class Key>                                                                             \
  static cudaError_t SortKeys##suffix(void *storage, size_t &bytes, const Key *in, Key *out,       \
                                      int count, int firstBit = 0, int lastBit = sizeof(Key) * 8,  \
                                      cudaStream_t = 0) {                                          \
    return detail::run(storage, bytes, [&] {                                                       \
      detail::permute(in, out, detail::sortedOrder(in, count, firstBit, lastBit, isDescending));   \
    });                                                                                            \
  }                                                                                                \
  template <class Key>                                                                             \
  static cudaError_t SortKeys##suffix(void *storage, size_t &bytes, DoubleBuffer<Key> &keys,       \
                                      int count, int firstBit = 0, int lastBit = sizeof(Key) * 8,  \
                                      cudaStream_t = 0) {                                          \
    return SortKeys##suffix(storage, bytes, keys.Current(), keys.Current(), count, firstBit,       \
                            lastBit);                                                              \
  }                                                                                                \
  template <class Key, class Value>                                                                \
  static cudaError_t SortPairs##suffix(                                                            \
      void *storage, size_t &bytes, const Key *keysIn, Key *keysOut, const Value *in, Value *out,  \
      int count, int firstBit = 0, int lastBit = sizeof(Key) * 8, cudaStream_t = 0) {              \
    return detail::run(storage, bytes, [&] {                                                       \
      const auto order = detail::sortedOrder(keysIn, count, firstBit, lastBit, isDescending);      \
      detail::permute(in, out, order);                                                             \
      detail::permute(keysIn, keysOut, order);                                                     \
    });                                                                                            \
  }                                                                                                \
  template <class Key, class Value>                                                                \
  static cudaError_t SortPairs##suffix(void *storage, size_t &bytes, DoubleBuffer<Key> &keys,      \
                                       DoubleBuffer<Value> &values, int count, int firstBit = 0,   \
                                       int lastBit = sizeof(Key) * 8, cudaStream_t = 0) {          \
    return SortPairs##suffix(storage, bytes, keys.Current(), keys.Current(), values.Current(),     \
                             values.Current(), count, firstBit, lastBit);                          \
  }
  RELAYOUT_SORT(, false)
  RELAYOUT_SORT(Descending, true)
#undef RELAYOUT_SORT
};

struct DeviceSelect {
  template <class In, class Flag, class Out, class Number>
  static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flag flags, Out out,
                             Number number, int count, cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      int kept = 0;
      for (int i = 0; i < count; ++i)
        if (flags[i])
          out[kept++] = in[i];
      *number = kept;
    });
  }
  template <class In, class Out, class Number, class Predicate>
  static cudaError_t If(void *storage, size_t &bytes, In in, Out out, Number number, int count,
                        Predicate predicate, cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      int kept = 0;
      for (int i = 0; i < count; ++i)
        if (predicate(in[i]))
          out[kept++] = in[i];
      *number = kept;
    });
  }
  template <class In, class Out, class Number>
  static cudaError_t Unique(void *storage, size_t &bytes, In in, Out out, Number number, int count,
                            cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      *number = static_cast<int>(std::unique_copy(in, in + count, out) - out);
    });
  }
};

} // namespace cub
