// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: sorts of segments.
#pragma once

#include "../detail/segmented_sort.cuh"

namespace cub {

struct DeviceSegmentedSort : private detail::SegmentedSort {
#define RELAYOUT_SORT(prefix, suffix, isDescending)                                                \
  template <class Key, class Begin, class End>                                                     \
  static cudaError_t prefix##SortKeys##suffix(                                                     \
      void *storage, size_t &bytes, const Key *in, Key *out, detail::Count,                        \
      detail::Count segments, Begin begins, End ends, cudaStream_t = 0, bool = false) {            \
    return keys(storage, bytes, in, out, segments, begins, ends,                                   \
                detail::allBits<Key>(isDescending));                                               \
  }                                                                                                \
  template <class Key, class Begin, class End>                                                     \
  static cudaError_t prefix##SortKeys##suffix(void *storage, size_t &bytes, DoubleBuffer<Key> &in, \
                                              detail::Count, detail::Count segments, Begin begins, \
                                              End ends, cudaStream_t = 0, bool = false) {          \
    return keys(storage, bytes, in.Current(), in.Current(), segments, begins, ends,                \
                detail::allBits<Key>(isDescending));                                               \
  }                                                                                                \
  template <class Key, class Value, class Begin, class End>                                        \
  static cudaError_t prefix##SortPairs##suffix(                                                    \
      void *storage, size_t &bytes, const Key *keysIn, Key *keysOut, const Value *in, Value *out,  \
      detail::Count, detail::Count segments, Begin begins, End ends, cudaStream_t = 0,             \
      bool = false) {                                                                              \
    return pairs(storage, bytes, keysIn, keysOut, in, out, segments, begins, ends,                 \
                 detail::allBits<Key>(isDescending));                                              \
  }                                                                                                \
  template <class Key, class Value, class Begin, class End>                                        \
  static cudaError_t prefix##SortPairs##suffix(                                                    \
      void *storage, size_t &bytes, DoubleBuffer<Key> &keys, DoubleBuffer<Value> &values,          \
      detail::Count, detail::Count segments, Begin begins, End ends, cudaStream_t = 0,             \
      bool = false) {                                                                              \
    return pairs(storage, bytes, keys.Current(), keys.Current(), values.Current(),                 \
                 values.Current(), segments, begins, ends, detail::allBits<Key>(isDescending));    \
  }
  RELAYOUT_SORT(, , false)
  RELAYOUT_SORT(, Descending, true)
  RELAYOUT_SORT(Stable, , false)
  RELAYOUT_SORT(Stable, Descending, true)
#undef RELAYOUT_SORT
};

} // namespace cub
