// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: searches in sorted items.
#pragma once

#include "../util_type.cuh"

namespace cub {

/// The first place whose item is not less.
template <class In, class Offset, class T>
__host__ __device__ Offset LowerBound(In items, Offset count, T value) {
  Offset first = 0;
  while (count > 0) {
    const Offset half = count / 2;
    if (items[first + half] < value) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}
/// The first place whose item is greater.
template <class In, class Offset, class T>
__host__ __device__ Offset UpperBound(In items, Offset count, T value) {
  Offset first = 0;
  while (count > 0) {
    const Offset half = count / 2;
    if (value < items[first + half]) {
      count = half;
    } else {
      first += half + 1;
      count -= half + 1;
    }
  }
  return first;
}

/// Where the path of a merge crosses a diagonal: x items of a come before it, y of b.
template <class A, class B, class Offset, class Coordinate>
__host__ __device__ void MergePathSearch(Offset diagonal, A a, B b, Offset countA, Offset countB,
                                         Coordinate &place) {
  Offset low = diagonal > countB ? diagonal - countB : 0;
  Offset high = diagonal < countA ? diagonal : countA;
  while (low < high) {
    const Offset middle = low + (high - low) / 2;
    if (b[diagonal - 1 - middle] < a[middle])
      high = middle;
    else
      low = middle + 1;
  }
  place.x = low;
  place.y = diagonal - low;
}

} // namespace cub
