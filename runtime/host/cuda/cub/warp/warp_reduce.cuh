// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: reductions of a warp's lanes.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

/// Reductions of `Lanes` lanes of a warp, all of which take part.
template <class T, int Lanes = 32, int = 0> class WarpReduce {
public:
  using TempStorage = detail::Storage<T, Lanes>;

  __device__ explicit WarpReduce(TempStorage &storage) : storage_(storage) {}

  /// In the first lane the result, elsewhere something else.
  template <class Operation> __device__ T Reduce(T value, Operation operation, int valid = Lanes) {
    const int lane = detail::threadRank() % Lanes;
    storage_.values()[lane] = value;
    __syncwarp(detail::lanesAround<Lanes>());
    if (lane == 0)
      for (int i = 1; i < valid; ++i)
        value = operation(value, storage_.values()[i]);
    __syncwarp(detail::lanesAround<Lanes>());
    return value;
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }

private:
  TempStorage &storage_;
};

} // namespace cub
