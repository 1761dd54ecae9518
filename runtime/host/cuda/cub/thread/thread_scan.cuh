// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: prefix sums of one thread's items. Results may be the items themselves.
#pragma once

#include "thread_operators.cuh"

namespace cub {

/// The sum of all comes back.
template <int kItems, class T, class Operation>
__host__ __device__ T ThreadScanExclusive(const T (&items)[kItems], T (&results)[kItems],
                                          Operation operation, T sum, bool applyPrefix = true) {
  for (int i = 0; i < kItems; ++i) {
    const T item = items[i];
    if (i > 0 || applyPrefix)
      results[i] = sum;
    sum = i == 0 && !applyPrefix ? item : operation(sum, item);
  }
  return sum;
}
template <int kItems, class T, class Operation>
__host__ __device__ T ThreadScanInclusive(const T (&items)[kItems], T (&results)[kItems],
                                          Operation operation, T sum, bool applyPrefix = true) {
  for (int i = 0; i < kItems; ++i) {
    sum = i == 0 && !applyPrefix ? items[0] : operation(sum, items[i]);
    results[i] = sum;
  }
  return sum;
}
template <int kItems, class T, class Operation>
__host__ __device__ T ThreadScanInclusive(const T (&items)[kItems], T (&results)[kItems],
                                          Operation operation) {
  return ThreadScanInclusive(items, results, operation, items[0], false);
}

namespace internal {
using cub::ThreadScanExclusive;
using cub::ThreadScanInclusive;
} // namespace internal

} // namespace cub
