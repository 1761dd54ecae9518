// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: prefix sums of a warp's lanes, all of which take part.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

/// An exclusive scan without initial value leaves the first lane's result as it is. Totals are of
/// the values alone.
template <class T, int Lanes = 32, int = 0> class WarpScan {
public:
  using TempStorage = detail::Storage<T, Lanes>;

  __device__ explicit WarpScan(TempStorage &) {}

  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, Operation operation, T &total) {
    T before = value;
    result = scan(value, operation, before, total) ? operation(before, value) : value;
  }
  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, Operation operation) {
    T total;
    InclusiveScan(value, result, operation, total);
  }
  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, T initial, Operation operation, T &total) {
    InclusiveScan(value, result, operation, total);
    result = operation(initial, result);
  }
  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, T initial, Operation operation) {
    T total;
    InclusiveScan(value, result, initial, operation, total);
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, T initial, Operation operation, T &total) {
    T before = value;
    result = scan(value, operation, before, total) ? operation(initial, before) : initial;
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, T initial, Operation operation) {
    T total;
    ExclusiveScan(value, result, initial, operation, total);
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, Operation operation, T &total) {
    T before = value;
    if (scan(value, operation, before, total))
      result = before;
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, Operation operation) {
    T total;
    ExclusiveScan(value, result, operation, total);
  }
  template <class Operation>
  __device__ void Scan(T value, T &inclusive, T &exclusive, Operation operation) {
    T before = value, total;
    const bool isAfter = scan(value, operation, before, total);
    inclusive = isAfter ? operation(before, value) : value;
    if (isAfter)
      exclusive = before;
  }
  template <class Operation>
  __device__ void Scan(T value, T &inclusive, T &exclusive, T initial, Operation operation) {
    T before = value, total;
    exclusive = scan(value, operation, before, total) ? operation(initial, before) : initial;
    inclusive = operation(exclusive, value);
  }
  __device__ void InclusiveSum(T value, T &result) { InclusiveScan(value, result, cub::Sum()); }
  __device__ void InclusiveSum(T value, T &result, T &total) {
    InclusiveScan(value, result, cub::Sum(), total);
  }
  __device__ void ExclusiveSum(T value, T &result) {
    ExclusiveScan(value, result, T(), cub::Sum());
  }
  __device__ void ExclusiveSum(T value, T &result, T &total) {
    ExclusiveScan(value, result, T(), cub::Sum(), total);
  }
  __device__ void Sum(T value, T &inclusive, T &exclusive) {
    Scan(value, inclusive, exclusive, T(), cub::Sum());
  }
  __device__ T Broadcast(T value, unsigned int from) {
    const detail::LaneValues<T, Lanes> values(value);
    return values[static_cast<int>(from)];
  }

private:
  /// What the lanes before this one have together; false: it is the first.
  template <class Operation>
  __device__ static bool scan(T &value, Operation &operation, T &before, T &total) {
    const detail::LaneValues<T, Lanes> values(value);
    const int rank = detail::Lanes<Lanes>::rank();
    T sum = values[0];
    for (int i = 1; i < detail::Lanes<Lanes>::count(); ++i) {
      if (i == rank)
        before = sum;
      sum = operation(sum, values[i]);
    }
    total = sum;
    return rank > 0;
  }
};

} // namespace cub
