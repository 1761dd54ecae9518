// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: reductions of whole arrays.
#pragma once

#include "../detail/device_call.cuh"
#include "../iterator/arg_index_input_iterator.cuh"

namespace cub {

namespace detail {

template <class In, class Operation, class T>
auto reduced(In in, Count first, Count last, Operation &operation, const T &initial) {
  auto start = initialValue(initial);
  RELAYOUT_SUM_OF(operation, start, In) sum = start;
  for (Count i = first; i < last; ++i) {
    auto item = itemOf(in, i);
    sum = operation(sum, item);
  }
  return sum;
}
/// The first place of an extremum, counted from the first; none for no items.
template <class In, class Better>
Count placeOfBest(In in, Count first, Count last, Better isBetter) {
  Count best = first;
  for (Count i = first; i < last; ++i)
    if (isBetter(in[i], in[best]))
      best = i;
  return best - first;
}
template <bool isMax> struct Better {
  template <class T> bool operator()(const T &a, const T &b) const { return isMax ? b < a : a < b; }
};
template <bool isMax, class T> T worst() { return isMax ? Traits<T>::Lowest() : Traits<T>::Max(); }

/// A pair of place and value; of no items, one and the worst value there is.
template <bool isMax, class In, class Out> void putBest(In in, Count first, Count last, Out out) {
  using Value = ValueOf<In>;
  using Pair =
      std::conditional_t<std::is_void_v<ValueOf<Out>>, KeyValuePair<int, Value>, ValueOf<Out>>;
  Pair pair;
  pair.key = 1;
  if (first == last) {
    pair.value = worst<isMax, Value>();
  } else {
    const Count place = placeOfBest(in, first, last, Better<isMax>());
    pair.key = static_cast<decltype(pair.key)>(place);
    pair.value = in[first + place];
  }
  *out = pair;
}
template <bool isMax, class In, class Out, class Place>
void putBest(In in, Count count, Out out, Place placeOut) {
  const Count place = placeOfBest(in, 0, count, Better<isMax>());
  put(placeOut, count == 0 ? 1 : place);
  put(out, count == 0 ? worst<isMax, ValueOf<In>>() : static_cast<ValueOf<In>>(in[place]));
}

} // namespace detail

struct DeviceReduce {
  template <class In, class Out, class Operation, class T>
  static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, detail::Count count,
                            Operation operation, T initial, cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] {
      detail::put(out, detail::reduced(in, 0, count, operation, initial));
    });
  }
  template <class In, class Out>
  static cudaError_t Sum(void *storage, size_t &bytes, In in, Out out, detail::Count count,
                         cudaStream_t = 0, bool = false) {
    return Reduce(storage, bytes, in, out, count, cub::Sum(), detail::OutOr<In, Out>());
  }
  template <class In, class Out>
  static cudaError_t Max(void *storage, size_t &bytes, In in, Out out, detail::Count count,
                         cudaStream_t = 0, bool = false) {
    return Reduce(storage, bytes, in, out, count, cub::Max(),
                  detail::worst<true, detail::ValueOf<In>>());
  }
  template <class In, class Out>
  static cudaError_t Min(void *storage, size_t &bytes, In in, Out out, detail::Count count,
                         cudaStream_t = 0, bool = false) {
    return Reduce(storage, bytes, in, out, count, cub::Min(),
                  detail::worst<false, detail::ValueOf<In>>());
  }
  template <class In, class Out>
  static cudaError_t ArgMax(void *storage, size_t &bytes, In in, Out out, detail::Count count,
                            cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] { detail::putBest<true>(in, 0, count, out); });
  }
  template <class In, class Out>
  static cudaError_t ArgMin(void *storage, size_t &bytes, In in, Out out, detail::Count count,
                            cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] { detail::putBest<false>(in, 0, count, out); });
  }
  // Value and place apart, as from version 2.8 on.
  template <class In, class Out, class Place>
  static cudaError_t ArgMax(void *storage, size_t &bytes, In in, Out out, Place place,
                            detail::Count count, cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] { detail::putBest<true>(in, count, out, place); });
  }
  template <class In, class Out, class Place>
  static cudaError_t ArgMin(void *storage, size_t &bytes, In in, Out out, Place place,
                            detail::Count count, cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] { detail::putBest<false>(in, count, out, place); });
  }
  template <class In, class Out, class Operation, class Transform, class T>
  static cudaError_t TransformReduce(void *storage, size_t &bytes, In in, Out out,
                                     detail::Count count, Operation operation, Transform transform,
                                     T initial, cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      std::decay_t<decltype(operation(initial, transform(std::declval<detail::ValueOf<In> &>())))>
          sum = initial;
      for (detail::Count i = 0; i < count; ++i) {
        auto item = detail::itemOf(in, i);
        sum = operation(sum, transform(item));
      }
      detail::put(out, sum);
    });
  }
  template <class Keys, class Unique, class Values, class Out, class Number, class Operation>
  static cudaError_t ReduceByKey(void *storage, size_t &bytes, Keys keys, Unique unique,
                                 Values values, Out out, Number number, Operation operation,
                                 detail::Count count, cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] {
      detail::Count runs = 0;
      detail::forEachRun(
          keys, count, cub::Equality(), [&](detail::Count first, detail::Count last) {
            const auto sum = detail::reduced(values, first + 1, last, operation,
                                             static_cast<detail::ValueOf<Values>>(values[first]));
            unique[runs] = keys[first];
            detail::put(out + runs, sum);
            ++runs;
          });
      detail::put(number, runs);
    });
  }
};

} // namespace cub
