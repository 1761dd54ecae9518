// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: prefix sums of a warp's lanes, all of which take part.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

template <class T, int Lanes = 32, int = 0> class WarpScan {
public:
  using TempStorage = detail::Storage<T, Lanes>;

  __device__ explicit WarpScan(TempStorage &storage) : storage_(storage) {}

  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, Operation operation, T &total) {
    const T *const values = exchanged(value);
    T sum = values[0];
    result = sum;
    for (int i = 1; i < Lanes; ++i) {
      sum = operation(sum, values[i]);
      if (i == lane())
        result = sum;
    }
    total = sum;
    __syncwarp(detail::lanesAround<Lanes>());
  }
  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, Operation operation) {
    T total;
    InclusiveScan(value, result, operation, total);
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, T initial, Operation operation, T &total) {
    const T *const values = exchanged(value);
    T sum = values[0];
    result = initial;
    for (int i = 1; i < Lanes; ++i) {
      if (i == lane())
        result = operation(initial, sum);
      sum = operation(sum, values[i]);
    }
    total = sum;
    __syncwarp(detail::lanesAround<Lanes>());
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, T initial, Operation operation) {
    T total;
    ExclusiveScan(value, result, initial, operation, total);
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
  __device__ T Broadcast(T value, unsigned int from) {
    const T result = exchanged(value)[from];
    __syncwarp(detail::lanesAround<Lanes>());
    return result;
  }

private:
  __device__ static int lane() { return detail::threadRank() % Lanes; }
  __device__ const T *exchanged(T value) {
    storage_.values()[lane()] = value;
    __syncwarp(detail::lanesAround<Lanes>());
    return storage_.values();
  }

  TempStorage &storage_;
};

} // namespace cub
