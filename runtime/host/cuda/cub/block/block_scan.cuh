// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: prefix sums of a block. Values pass through the temporary storage and
// are combined in the order of the threads.
#pragma once

#include "../thread/thread_operators.cuh"

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

/// An exclusive scan without initial value leaves the first result as it is. A callback is asked by
/// the first warp for what stands before the block; the answer of its first lane counts. Totals
/// are of the values alone.
template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0>
class BlockScan {
public:
  /// Behind what each thread follows: the sum, and what stands before the block.
  using TempStorage = detail::Storage<T, X * Y * Z + 2>;

  __device__ BlockScan() : storage_(detail::blockStorage<TempStorage>()) {}
  __device__ explicit BlockScan(TempStorage &storage) : storage_(storage) {}

  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, Operation operation, T &total) {
    inclusive(value, result, operation, scan(value, operation, total));
  }
  template <class Operation>
  __device__ void InclusiveScan(T value, T &result, Operation operation) {
    T total;
    InclusiveScan(value, result, operation, total);
  }
  template <class Operation, class Callback>
  __device__ void InclusiveScan(T value, T &result, Operation operation, Callback &callback) {
    T before;
    scanAfter(value, operation, callback, before);
    inclusive(value, result, operation, &before);
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, T initial, Operation operation, T &total) {
    T *const before = scan(value, operation, total);
    result = before ? operation(initial, *before) : initial;
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, T initial, Operation operation) {
    T total;
    ExclusiveScan(value, result, initial, operation, total);
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, Operation operation, T &total) {
    if (T *const before = scan(value, operation, total))
      result = *before;
  }
  template <class Operation>
  __device__ void ExclusiveScan(T value, T &result, Operation operation) {
    T total;
    ExclusiveScan(value, result, operation, total);
  }
  template <class Operation, class Callback>
  __device__ void ExclusiveScan(T value, T &result, Operation operation, Callback &callback) {
    T before;
    scanAfter(value, operation, callback, before);
    result = before;
  }
  __device__ void InclusiveSum(T value, T &result) { InclusiveScan(value, result, cub::Sum()); }
  __device__ void InclusiveSum(T value, T &result, T &total) {
    InclusiveScan(value, result, cub::Sum(), total);
  }
  template <class Callback> __device__ void InclusiveSum(T value, T &result, Callback &callback) {
    InclusiveScan(value, result, cub::Sum(), callback);
  }
  __device__ void ExclusiveSum(T value, T &result) {
    ExclusiveScan(value, result, T(), cub::Sum());
  }
  __device__ void ExclusiveSum(T value, T &result, T &total) {
    ExclusiveScan(value, result, T(), cub::Sum(), total);
  }
  template <class Callback> __device__ void ExclusiveSum(T value, T &result, Callback &callback) {
    ExclusiveScan(value, result, cub::Sum(), callback);
  }

  // Of several items a thread, in the order of the threads.
  template <int kItems, class Operation>
  __device__ void InclusiveScan(T (&values)[kItems], T (&results)[kItems], Operation operation,
                                T &total) {
    inclusive(values, results, operation, scan(together(values, operation), operation, total));
  }
  template <int kItems, class Operation>
  __device__ void InclusiveScan(T (&values)[kItems], T (&results)[kItems], Operation operation) {
    T total;
    InclusiveScan(values, results, operation, total);
  }
  template <int kItems, class Operation>
  __device__ void InclusiveScan(T (&values)[kItems], T (&results)[kItems], T initial,
                                Operation operation, T &total) {
    T *const before = scan(together(values, operation), operation, total);
    T first = before ? operation(initial, *before) : initial;
    inclusive(values, results, operation, &first);
  }
  template <int kItems, class Operation>
  __device__ void InclusiveScan(T (&values)[kItems], T (&results)[kItems], T initial,
                                Operation operation) {
    T total;
    InclusiveScan(values, results, initial, operation, total);
  }
  template <int kItems, class Operation, class Callback>
  __device__ void InclusiveScan(T (&values)[kItems], T (&results)[kItems], Operation operation,
                                Callback &callback) {
    T before;
    scanAfter(together(values, operation), operation, callback, before);
    inclusive(values, results, operation, &before);
  }
  template <int kItems, class Operation>
  __device__ void ExclusiveScan(T (&values)[kItems], T (&results)[kItems], T initial,
                                Operation operation, T &total) {
    T *const before = scan(together(values, operation), operation, total);
    T first = before ? operation(initial, *before) : initial;
    exclusive(values, results, operation, &first);
  }
  template <int kItems, class Operation>
  __device__ void ExclusiveScan(T (&values)[kItems], T (&results)[kItems], T initial,
                                Operation operation) {
    T total;
    ExclusiveScan(values, results, initial, operation, total);
  }
  template <int kItems, class Operation>
  __device__ void ExclusiveScan(T (&values)[kItems], T (&results)[kItems], Operation operation,
                                T &total) {
    exclusive(values, results, operation, scan(together(values, operation), operation, total));
  }
  template <int kItems, class Operation>
  __device__ void ExclusiveScan(T (&values)[kItems], T (&results)[kItems], Operation operation) {
    T total;
    ExclusiveScan(values, results, operation, total);
  }
  template <int kItems, class Operation, class Callback>
  __device__ void ExclusiveScan(T (&values)[kItems], T (&results)[kItems], Operation operation,
                                Callback &callback) {
    T before;
    scanAfter(together(values, operation), operation, callback, before);
    exclusive(values, results, operation, &before);
  }
  template <int kItems> __device__ void InclusiveSum(T (&values)[kItems], T (&results)[kItems]) {
    InclusiveScan(values, results, cub::Sum());
  }
  template <int kItems>
  __device__ void InclusiveSum(T (&values)[kItems], T (&results)[kItems], T &total) {
    InclusiveScan(values, results, cub::Sum(), total);
  }
  template <int kItems, class Callback>
  __device__ void InclusiveSum(T (&values)[kItems], T (&results)[kItems], Callback &callback) {
    InclusiveScan(values, results, cub::Sum(), callback);
  }
  template <int kItems> __device__ void ExclusiveSum(T (&values)[kItems], T (&results)[kItems]) {
    ExclusiveScan(values, results, T(), cub::Sum());
  }
  template <int kItems>
  __device__ void ExclusiveSum(T (&values)[kItems], T (&results)[kItems], T &total) {
    ExclusiveScan(values, results, T(), cub::Sum(), total);
  }
  template <int kItems, class Callback>
  __device__ void ExclusiveSum(T (&values)[kItems], T (&results)[kItems], Callback &callback) {
    ExclusiveScan(values, results, cub::Sum(), callback);
  }

private:
  static constexpr int kThreads = X * Y * Z;

  template <int kItems, class Operation>
  __device__ static T together(T (&values)[kItems], Operation operation) {
    T all = values[0];
    for (int i = 1; i < kItems; ++i)
      all = operation(all, values[i]);
    return all;
  }

  // Results after what stands before them, or without it; they may lie where the values do.
  template <class Operation>
  __device__ static void inclusive(T &value, T &result, Operation operation, T *before) {
    result = before ? operation(*before, value) : value;
  }
  template <int kItems, class Operation>
  __device__ static void inclusive(T (&values)[kItems], T (&results)[kItems], Operation operation,
                                   T *before) {
    for (int i = 0; i < kItems; ++i) {
      inclusive(values[i], results[i], operation, before);
      before = results + i;
    }
  }
  template <int kItems, class Operation>
  __device__ static void exclusive(T (&values)[kItems], T (&results)[kItems], Operation operation,
                                   T *before) {
    T sum = before ? *before : values[0];
    for (int i = 0; i < kItems; ++i) {
      if (i == 0 && !before)
        continue;
      const T next = operation(sum, values[i]);
      results[i] = sum;
      sum = next;
    }
  }

  /// What the threads before this one have together; null: it is the first.
  template <class Operation> __device__ T *scan(T value, Operation operation, T &total) {
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
  /// What the threads before this one have together, and what stands before the block.
  template <class Operation, class Callback>
  __device__ void scanAfter(T value, Operation operation, Callback &callback, T &before) {
    T total;
    T *const ofThreads = scan(value, operation, total);
    const int rank = detail::threadRank();
    if (rank < detail::kWarpLanes) {
      const T beforeBlock = callback(total);
      if (rank == 0)
        storage_.values()[kThreads + 1] = beforeBlock;
    }
    __syncthreads();
    T beforeBlock = storage_.values()[kThreads + 1];
    before = ofThreads ? operation(beforeBlock, *ofThreads) : beforeBlock;
  }

  TempStorage &storage_;
};

} // namespace cub
