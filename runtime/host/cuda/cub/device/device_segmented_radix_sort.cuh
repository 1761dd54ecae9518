// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: sorts of segments by the bits of their keys.
#pragma once

#include "../detail/segmented_sort.cuh"

namespace cub {

struct DeviceSegmentedRadixSort : private detail::SegmentedSort {
#define RELAYOUT_SORT(suffix, isDescending)                                                        \
  template <class Key, class Begin, class End>                                                     \
  static cudaError_t SortKeys##suffix(void *storage, size_t &bytes, const Key *in, Key *out,       \
                                      detail::Count, detail::Count segments, Begin begins,         \
                                      End ends, int firstBit = 0, int lastBit = sizeof(Key) * 8,   \
                                      cudaStream_t = 0, bool = false) {                            \
    return keys(storage, bytes, in, out, segments, begins, ends,                                   \
                detail::RadixOrder{firstBit, lastBit, isDescending});                              \
  }                                                                                                \
  template <class Key, class Begin, class End>                                                     \
  static cudaError_t SortKeys##suffix(void *storage, size_t &bytes, DoubleBuffer<Key> &in,         \
                                      detail::Count, detail::Count segments, Begin begins,         \
                                      End ends, int firstBit = 0, int lastBit = sizeof(Key) * 8,   \
                                      cudaStream_t = 0, bool = false) {                            \
    return keys(storage, bytes, in.Current(), in.Current(), segments, begins, ends,                \
                detail::RadixOrder{firstBit, lastBit, isDescending});                              \
  }                                                                                                \
  template <class Key, class Value, class Begin, class End>                                        \
  static cudaError_t SortPairs##suffix(                                                            \
      void *storage, size_t &bytes, const Key *keysIn, Key *keysOut, const Value *in, Value *out,  \
      detail::Count, detail::Count segments, Begin begins, End ends, int firstBit = 0,             \
      int lastBit = sizeof(Key) * 8, cudaStream_t = 0, bool = false) {                             \
    return pairs(storage, bytes, keysIn, keysOut, in, out, segments, begins, ends,                 \
                 detail::RadixOrder{firstBit, lastBit, isDescending});                             \
  }                                                                                                \
  template <class Key, class Value, class Begin, class End>                                        \
  static cudaError_t SortPairs##suffix(                                                            \
      void *storage, size_t &bytes, DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values,          \
      detail::Count, detail::Count segments, Begin begins, End ends, int firstBit = 0,             \
      int lastBit = sizeof(Key) * 8, cudaStream_t = 0, bool = false) {                             \
    return pairs(storage, bytes, keys.Current(), keys.Current(), values.Current(),                 \
                 values.Current(), segments, begins, ends,                                         \
                 detail::RadixOrder{firstBit, lastBit, isDescending});                             \
  }
  RELAYOUT_SORT(, false)
  RELAYOUT_SORT(Descending, true)
#undef RELAYOUT_SORT
};

} // namespace cub
