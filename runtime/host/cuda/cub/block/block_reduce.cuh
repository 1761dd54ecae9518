// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: reductions of a block. Values pass through the temporary storage and are
// combined in the order of the threads.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
  BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int = 0>
class BlockReduce {
public:
  using TempStorage = detail::Storage<T, X * Y * Z>;

  __device__ BlockReduce() : storage_(detail::blockStorage<TempStorage>()) {}
  __device__ explicit BlockReduce(TempStorage &storage) : storage_(storage) {}

  /// In thread 0 the result, elsewhere something else.
  template <class Operation>
  __device__ T Reduce(T value, Operation operation, int valid = X * Y * Z) {
    const int rank = detail::threadRank();
    storage_.values()[rank] = value;
    __syncthreads();
    if (rank == 0)
      for (int i = 1; i < valid; ++i)
        value = operation(value, storage_.values()[i]);
    return value;
  }
  template <int kItems, class Operation>
  __device__ T Reduce(T (&values)[kItems], Operation operation) {
    T value = values[0];
    for (int i = 1; i < kItems; ++i)
      value = operation(value, values[i]);
    return Reduce(value, operation);
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int kItems> __device__ T Sum(T (&values)[kItems]) { return Reduce(values, cub::Sum()); }

private:
  TempStorage &storage_;
};

} // namespace cub
