// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: sorts a warp's items by a comparison.
#pragma once

#include "../detail/group_sort.cuh"

namespace cub {

template <class Key, int Items, int Lanes = 32, class Value = NullType, int = 0>
class WarpMergeSort
    : public detail::MergeSort<WarpMergeSort<Key, Items, Lanes, Value>, Key, Value, Lanes, Items> {
  using Base = detail::MergeSort<WarpMergeSort, Key, Value, Lanes, Items>;

public:
  using Sync = detail::LanesSync<Lanes>;
  using TempStorage = typename Base::TempStorage;

  WarpMergeSort() = delete;
  __device__ explicit WarpMergeSort(TempStorage &storage) : Base(storage) {}
  __device__ static int rank() { return detail::Lanes<Lanes>::rank(); }
  __device__ static unsigned int get_member_mask() { return detail::Lanes<Lanes>::mask(); }
};

} // namespace cub
