// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: sorts a block's items by the bits of their keys.
#pragma once

#include "../detail/group_sort.cuh"
#include "../detail/radix_order.cuh"
#include "block_scan.cuh"

namespace cub {

template <class Key, int X, int Items, class Value = NullType, int = 4, bool = true,
          BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS,
          cudaSharedMemConfig = cudaSharedMemBankSizeFourByte, int Y = 1, int Z = 1, int = 0>
class BlockRadixSort {
  static constexpr int kThreads = X * Y * Z;
  static constexpr int kBits = static_cast<int>(sizeof(Key) * 8);
  using Striped = detail::Striped<kThreads>;

public:
  using TempStorage = detail::SortStorage<Key, Value, kThreads * Items>;

  __device__ BlockRadixSort() : storage_(detail::blockStorage<TempStorage>()) {}
  __device__ explicit BlockRadixSort(TempStorage &storage) : storage_(storage) {}

#define RELAYOUT_SORT(name, isDescending, Leave)                                                   \
  __device__ void name(Key(&keys)[Items], int firstBit = 0, int lastBit = kBits) {                 \
    sort<Leave>(keys, nullptr, detail::RadixOrder{firstBit, lastBit, isDescending});               \
  }                                                                                                \
  __device__ void name(Key(&keys)[Items], Value(&values)[Items], int firstBit = 0,                 \
                       int lastBit = kBits) {                                                      \
    sort<Leave>(keys, values, detail::RadixOrder{firstBit, lastBit, isDescending});                \
  }                                                                                                \
  template <class Decomposer, detail::IfDecomposer<Decomposer> = 0>                                \
  __device__ void name(Key(&keys)[Items], Decomposer decomposer) {                                 \
    sort<Leave>(keys, nullptr, detail::DecomposedOrder<Decomposer>{decomposer, isDescending});     \
  }                                                                                                \
  template <class Decomposer, detail::IfDecomposer<Decomposer> = 0>                                \
  __device__ void name(Key(&keys)[Items], Value(&values)[Items], Decomposer decomposer) {          \
    sort<Leave>(keys, values, detail::DecomposedOrder<Decomposer>{decomposer, isDescending});      \
  }
  RELAYOUT_SORT(Sort, false, detail::Blocked)
  RELAYOUT_SORT(SortDescending, true, detail::Blocked)
  RELAYOUT_SORT(SortBlockedToStriped, false, Striped)
  RELAYOUT_SORT(SortDescendingBlockedToStriped, true, Striped)
#undef RELAYOUT_SORT

private:
  template <class Leave, class Order>
  __device__ void sort(Key (&keys)[Items], Value *values, Order order) {
    detail::sortGroup<Leave>(storage_, detail::threadRank(), keys, values, kThreads * Items, order,
                             detail::BlockSync());
  }

  TempStorage &storage_;
};

} // namespace cub
