// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: reductions of a warp's lanes, all of which take part.
#pragma once

#include "../thread/thread_operators.cuh"
#include "../thread/thread_reduce.cuh"

namespace cub {

/// Reductions of `Lanes` lanes of a warp.
template <class T, int Lanes = 32, int = 0> class WarpReduce {
public:
  using TempStorage = detail::Storage<T, Lanes>;

  __device__ explicit WarpReduce(TempStorage &) {}

  /// In the first lane the result, elsewhere something else.
  template <class Operation> __device__ T Reduce(T value, Operation operation, int valid = Lanes) {
    const detail::LaneValues<T, Lanes> values(value);
    if (rank() == 0)
      for (int i = 1; i < valid && i < count(); ++i)
        value = operation(value, values[i]);
    return value;
  }
  template <int kItems, class Operation>
  __device__ T Reduce(const T (&items)[kItems], Operation operation) {
    return Reduce(ThreadReduce(items, operation), operation);
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int kItems> __device__ T Sum(const T (&items)[kItems]) {
    return Reduce(items, cub::Sum());
  }
  __device__ T Max(T value) { return Reduce(value, cub::Max()); }
  __device__ T Max(T value, int valid) { return Reduce(value, cub::Max(), valid); }
  __device__ T Min(T value) { return Reduce(value, cub::Min()); }
  __device__ T Min(T value, int valid) { return Reduce(value, cub::Min(), valid); }

  // In the first lane of each segment its result, elsewhere something else.
  template <class Operation, class Flag>
  __device__ T HeadSegmentedReduce(T value, Flag isHead, Operation operation) {
    const unsigned int heads = __ballot_sync(detail::Lanes<Lanes>::mask(), isHead != 0);
    const detail::LaneValues<T, Lanes> values(value);
    for (int i = rank() + 1; i < count() && !isSet(heads, i); ++i)
      value = operation(value, values[i]);
    return value;
  }
  template <class Operation, class Flag>
  __device__ T TailSegmentedReduce(T value, Flag isTail, Operation operation) {
    const unsigned int tails = __ballot_sync(detail::Lanes<Lanes>::mask(), isTail != 0);
    const detail::LaneValues<T, Lanes> values(value);
    for (int i = rank(); i + 1 < count() && !isSet(tails, i); ++i)
      value = operation(value, values[i + 1]);
    return value;
  }
  template <class Flag> __device__ T HeadSegmentedSum(T value, Flag isHead) {
    return HeadSegmentedReduce(value, isHead, cub::Sum());
  }
  template <class Flag> __device__ T TailSegmentedSum(T value, Flag isTail) {
    return TailSegmentedReduce(value, isTail, cub::Sum());
  }

private:
  __device__ static int rank() { return detail::Lanes<Lanes>::rank(); }
  __device__ static int count() { return detail::Lanes<Lanes>::count(); }
  __device__ static bool isSet(unsigned int lanes, int rank) {
    return (lanes >> (detail::Lanes<Lanes>::first() + rank) & 1) != 0;
  }
};

} // namespace cub
