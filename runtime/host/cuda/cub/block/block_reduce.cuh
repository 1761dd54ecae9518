// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: reductions and prefix sums of a block and of a warp's lanes. Values pass
// through the temporary storage and are combined in the order of the threads.
#pragma once

#include "cuda_runtime.h"

namespace cub {

struct Sum {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
    return a + b;
  }
};
struct Max {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
    return a < b ? b : a;
  }
};
struct Min {
  template <class T> __host__ __device__ T operator()(const T &a, const T &b) const {
    return b < a ? b : a;
  }
};

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

namespace detail {
__device__ inline int threadRank() {
  return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x);
}
/// Bytes for values of a type whose constructor must not run.
template <class T, int kCount> struct Storage {
  alignas(T) unsigned char bytes[kCount * sizeof(T)];
  __device__ T *values() { return reinterpret_cast<T *>(bytes); }
};
} // namespace detail

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1,
          int = 0>
class BlockReduce {
public:
  using TempStorage = detail::Storage<T, X * Y * Z>;

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

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
public:
  using TempStorage = detail::Storage<T, X * Y * Z>;

  __device__ explicit BlockScan(TempStorage &storage) : storage_(storage) {}

  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, Operation operation, T &total) {
    const int rank = detail::threadRank();
    T *const values = storage_.values();
    values[rank] = value;
    __syncthreads();
    T sum = values[0], mine = values[0];
    for (int i = 1; i < X * Y * Z; ++i) {
      sum = operation(sum, values[i]);
      if (i == rank)
        mine = sum;
    }
    result = mine;
    total = sum;
  }
  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, Operation operation) {
    T total;
    InclusiveScan(value, result, operation, total);
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, T initial, Operation operation, T &total) {
    const int rank = detail::threadRank();
    T *const values = storage_.values();
    values[rank] = value;
    __syncthreads();
    T sum = initial, mine = initial, all = values[0];
    for (int i = 0; i < X * Y * Z; ++i) {
      if (i == rank)
        mine = sum;
      sum = operation(sum, values[i]);
      if (i > 0)
        all = operation(all, values[i]);
    }
    result = mine;
    total = all;
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

private:
  TempStorage &storage_;
};

/// Reductions of `Lanes` lanes of a warp, all of which take part.
template <class T, int Lanes = 32, int = 0> class WarpReduce {
public:
  using TempStorage = detail::Storage<T, Lanes>;

  __device__ explicit WarpReduce(TempStorage &storage) : storage_(storage) {}

  /// In the first lane the result, elsewhere something else.
  template <class Operation> __device__ T Reduce(T value, Operation operation, int valid = Lanes) {
    const int lane = detail::threadRank() % Lanes;
    storage_.values()[lane] = value;
    __syncwarp(mask());
    if (lane == 0)
      for (int i = 1; i < valid; ++i)
        value = operation(value, storage_.values()[i]);
    __syncwarp(mask());
    return value;
  }
  __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }

private:
  __device__ static unsigned int mask() {
    const int first = detail::threadRank() % 32 / Lanes * Lanes;
    return Lanes == 32 ? ~0u : ((1u << (Lanes % 32)) - 1) << first;
  }
  TempStorage &storage_;
};

} // namespace cub
