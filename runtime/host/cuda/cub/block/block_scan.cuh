// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: prefix sums of a block. Values pass through the temporary storage and
// are combined in the order of the threads.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
public:
  using TempStorage = detail::Storage<T, X * Y * Z + 1>;

  __device__ explicit BlockScan(TempStorage &storage) : storage_(storage) {}

  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, Operation operation, T &total) {
    const T *const before = scan(value, operation, total);
    result = before ? operation(*before, value) : value;
  }
  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, Operation operation) {
    T total;
    InclusiveScan(value, result, operation, total);
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, T initial, Operation operation, T &total) {
    const T *const before = scan(value, operation, total);
    result = before ? operation(initial, *before) : initial;
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

  // Of several items a thread, in the order of the threads.
  template <int kItems, class Operation>
  __device__ void InclusiveScan(T (&values)[kItems], T (&results)[kItems], Operation operation,
                                T &total) {
    const T *const before = scan(together(values, operation), operation, total);
    T sum = before ? operation(*before, values[0]) : values[0];
    for (int i = 0; i < kItems; ++i) {
      if (i > 0)
        sum = operation(sum, values[i]);
      results[i] = sum;
    }
  }
  template <int kItems, class Operation>
  __device__ void InclusiveScan(T (&values)[kItems], T (&results)[kItems], Operation operation) {
    T total;
    InclusiveScan(values, results, operation, total);
  }
  template <int kItems, class Operation>
  __device__ void ExclusiveScan(T (&values)[kItems], T (&results)[kItems], T initial,
                                Operation operation, T &total) {
    const T *const before = scan(together(values, operation), operation, total);
    T sum = before ? operation(initial, *before) : initial;
    for (int i = 0; i < kItems; ++i) {
      const T next = operation(sum, values[i]);
      results[i] = sum;
      sum = next;
    }
  }
  template <int kItems, class Operation>
  __device__ void ExclusiveScan(T (&values)[kItems], T (&results)[kItems], T initial,
                                Operation operation) {
    T total;
    ExclusiveScan(values, results, initial, operation, total);
  }
  template <int kItems> __device__ void InclusiveSum(T (&values)[kItems], T (&results)[kItems]) {
    InclusiveScan(values, results, cub::Sum());
  }
  template <int kItems>
  __device__ void InclusiveSum(T (&values)[kItems], T (&results)[kItems], T &total) {
    InclusiveScan(values, results, cub::Sum(), total);
  }
  template <int kItems> __device__ void ExclusiveSum(T (&values)[kItems], T (&results)[kItems]) {
    ExclusiveScan(values, results, T(), cub::Sum());
  }
  template <int kItems>
  __device__ void ExclusiveSum(T (&values)[kItems], T (&results)[kItems], T &total) {
    ExclusiveScan(values, results, T(), cub::Sum(), total);
  }

private:
  template <int kItems, class Operation>
  __device__ static T together(const T (&values)[kItems], Operation operation) {
    T all = values[0];
    for (int i = 1; i < kItems; ++i)
      all = operation(all, values[i]);
    return all;
  }

  /// What the threads before this one have together; null: it is the first.
  template <class Operation> __device__ const T *scan(T value, Operation operation, T &total) {
    constexpr int kThreads = X * Y * Z;
    const int rank = detail::threadRank();
    T *const values = storage_.values();
    values[rank] = value;
    __syncthreads();
    if (rank == 0) {
      T sum = values[0];
      for (int i = 1; i < kThreads; ++i) {
        const T next = operation(sum, values[i]);
        values[i] = sum;
        sum = next;
      }
      values[kThreads] = sum;
    }
    __syncthreads();
    total = values[kThreads];
    return rank > 0 ? values + rank : nullptr;
  }

  TempStorage &storage_;
};

} // namespace cub
