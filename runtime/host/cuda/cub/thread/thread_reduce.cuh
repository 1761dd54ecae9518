// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: reductions of one thread's items.
#pragma once

#include "thread_operators.cuh"

namespace cub {

template <int kItems, class T, class Operation>
__host__ __device__ T ThreadReduce(const T *items, Operation operation, T sum) {
  for (int i = 0; i < kItems; ++i)
    sum = operation(sum, items[i]);
  return sum;
}
template <int kItems, class T, class Operation>
__host__ __device__ T ThreadReduce(const T *items, Operation operation) {
  T sum = items[0];
  for (int i = 1; i < kItems; ++i)
    sum = operation(sum, items[i]);
  return sum;
}
template <int kItems, class T, class Operation>
__host__ __device__ T ThreadReduce(const T (&items)[kItems], Operation operation, T sum) {
  return ThreadReduce<kItems>(&items[0], operation, sum);
}
template <int kItems, class T, class Operation>
__host__ __device__ T ThreadReduce(const T (&items)[kItems], Operation operation) {
  return ThreadReduce<kItems>(&items[0], operation);
}

namespace internal {
using cub::ThreadReduce;
}

} // namespace cub
