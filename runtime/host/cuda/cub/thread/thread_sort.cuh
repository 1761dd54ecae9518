// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: sorts one thread's items.
#pragma once

#include "../util_type.cuh"

namespace cub {

template <class T> __host__ __device__ void Swap(T &a, T &b) {
  const T held = a;
  a = b;
  b = held;
}

template <class Key, class Value, class Less, int kItems>
__host__ __device__ void StableOddEvenSort(Key (&keys)[kItems], Value (&values)[kItems],
                                           Less less) {
  for (int round = 0; round < kItems; ++round)
    for (int i = round % 2; i + 1 < kItems; i += 2)
      if (less(keys[i + 1], keys[i])) {
        Swap(keys[i], keys[i + 1]);
        Swap(values[i], values[i + 1]);
      }
}

} // namespace cub
