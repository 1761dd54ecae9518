// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: what algorithms for whole arrays share. They are plain loops of the host
// over device memory. Each is first asked for its temporary storage, of which it needs none.
#pragma once

#include "../thread/thread_operators.cuh"
#include "included_headers.cuh"

#include <algorithm>
#include <iterator>
#include <new>
#include <numeric>
#include <utility>
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

using Count = std::int64_t;

template <class In> using ValueOf = typename std::iterator_traits<In>::value_type;
/// The output's type, where it has one.
template <class In, class Out>
using OutOr = std::conditional_t<std::is_void_v<ValueOf<Out>>, ValueOf<In>, ValueOf<Out>>;

/// Neither a stream nor a zero that stands for one.
template <class T>
using IfFunctor =
    std::enable_if_t<!std::is_convertible<T, cudaStream_t>::value && !std::is_integral<T>::value,
                     int>;

/// An item of one's own: functors may ask for one that is not const.
template <class In> ValueOf<In> itemOf(In in, Count i) { return in[i]; }

template <class T> T initialValue(const T &value) { return value; }
template <class T, class In> T initialValue(const FutureValue<T, In> &value) { return value; }
// Where functors are for the device alone, only bodies of functions may ask what these return.
#define RELAYOUT_SUM_OF(operation, initial, In)                                                    \
  std::decay_t<decltype(operation(initial, std::declval<ValueOf<In> &>()))>

/// Writes one value, of whatever type the place has.
template <class Out, class T> void put(Out out, const T &value) {
  if constexpr (std::is_void_v<ValueOf<Out>>)
    *out = value;
  else
    *out = static_cast<ValueOf<Out>>(value);
}

/// The whole input, for output that may lie in its place.
template <class In> auto copied(In in, Count count) {
  std::vector<Uninitialized<ValueOf<In>>> values(static_cast<size_t>(count));
  for (Count i = 0; i < count; ++i)
    ::new (&values[static_cast<size_t>(i)]) ValueOf<In>(in[i]);
  return values;
}

/// The order that sorts keys stably.
template <class In, class Less> std::vector<Count> sortedOrder(In keys, Count count, Less less) {
  std::vector<Count> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), Count{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Count a, Count b) { return less(keys[a], keys[b]); });
  return order;
}
/// Items in an order, also in place.
template <class In, class Out> void permute(In from, Out to, const std::vector<Count> &order) {
  auto items = copied(from, static_cast<Count>(order.size()));
  for (size_t i = 0; i < order.size(); ++i)
    to[static_cast<Count>(i)] = items[static_cast<size_t>(order[i])].Alias();
}

/// Calls `each` with the bounds of every run of equal items.
template <class In, class Equal, class Each>
void forEachRun(In in, Count count, Equal equal, Each each) {
  for (Count first = 0, i = 1; first < count; ++i) {
    if (i < count) {
      auto before = itemOf(in, i - 1), item = itemOf(in, i);
      if (equal(before, item))
        continue;
    }
    each(first, i);
    first = i;
  }
}
/// What the predicate says of an item.
template <class In, class Predicate> bool holds(Predicate &predicate, In in, Count i) {
  auto item = itemOf(in, i);
  return static_cast<bool>(predicate(item));
}

} // namespace detail

} // namespace cub
