// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: sorts a block's items by a comparison.
#pragma once

#include "../detail/group_sort.cuh"

namespace cub {

template <class Key, int X, int Items, class Value = NullType, int Y = 1, int Z = 1>
class BlockMergeSort : public detail::MergeSort<BlockMergeSort<Key, X, Items, Value, Y, Z>, Key,
                                                Value, X * Y * Z, Items> {
  using Base = detail::MergeSort<BlockMergeSort, Key, Value, X * Y * Z, Items>;

public:
  using Sync = detail::BlockSync;
  using TempStorage = typename Base::TempStorage;

  __device__ BlockMergeSort() : Base(detail::blockStorage<TempStorage>()) {}
  __device__ explicit BlockMergeSort(TempStorage &storage) : Base(storage) {}
  __device__ static int rank() { return detail::threadRank(); }
};

} // namespace cub
