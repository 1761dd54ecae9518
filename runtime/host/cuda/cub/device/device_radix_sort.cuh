// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: sorts of whole arrays by the bits of their keys, stably.
#pragma once

#include "../detail/device_call.cuh"
#include "../detail/radix_order.cuh"

namespace cub {

/// Of two buffers, the current one is sorted in place.
struct DeviceRadixSort {
#define RELAYOUT_SORT(suffix, isDescending)                                                        \
  template <class Key>                                                                             \
  static cudaError_t SortKeys##suffix(                                                             \
      void *storage, size_t &bytes, const Key *in, Key *out, detail::Count count,                  \
      int firstBit = 0, int lastBit = sizeof(Key) * 8, cudaStream_t = 0, bool = false) {           \
    return keys(storage, bytes, in, out, count,                                                    \
                detail::RadixOrder{firstBit, lastBit, isDescending});                              \
  }                                                                                                \
  template <class Key>                                                                             \
  static cudaError_t SortKeys##suffix(                                                             \
      void *storage, size_t &bytes, DoubleBuffer<Key> &in, detail::Count count, int firstBit = 0,  \
      int lastBit = sizeof(Key) * 8, cudaStream_t = 0, bool = false) {                             \
    return keys(storage, bytes, in.Current(), in.Current(), count,                                 \
                detail::RadixOrder{firstBit, lastBit, isDescending});                              \
  }                                                                                                \
  template <class Key, class Value>                                                                \
  static cudaError_t SortPairs##suffix(                                                            \
      void *storage, size_t &bytes, const Key *keysIn, Key *keysOut, const Value *in, Value *out,  \
      detail::Count count, int firstBit = 0, int lastBit = sizeof(Key) * 8, cudaStream_t = 0,      \
      bool = false) {                                                                              \
    return pairs(storage, bytes, keysIn, keysOut, in, out, count,                                  \
                 detail::RadixOrder{firstBit, lastBit, isDescending});                             \
  }                                                                                                \
  template <class Key, class Value>                                                                \
  static cudaError_t SortPairs##suffix(void *storage, size_t &bytes, DoubleBuffer<Key> &keys,      \
                                       DoubleBuffer<Value> &values, detail::Count count,           \
                                       int firstBit = 0, int lastBit = sizeof(Key) * 8,            \
                                       cudaStream_t = 0, bool = false) {                           \
    return pairs(storage, bytes, keys.Current(), keys.Current(), values.Current(),                 \
                 values.Current(), count, detail::RadixOrder{firstBit, lastBit, isDescending});    \
  }                                                                                                \
  template <class Key, class Decomposer, detail::IfDecomposer<Decomposer> = 0>                     \
  static cudaError_t SortKeys##suffix(void *storage, size_t &bytes, const Key *in, Key *out,       \
                                      detail::Count count, Decomposer decomposer,                  \
                                      cudaStream_t = 0) {                                          \
    return keys(storage, bytes, in, out, count,                                                    \
                detail::DecomposedOrder<Decomposer>{decomposer, isDescending});                    \
  }                                                                                                \
  template <class Key, class Value, class Decomposer, detail::IfDecomposer<Decomposer> = 0>        \
  static cudaError_t SortPairs##suffix(                                                            \
      void *storage, size_t &bytes, const Key *keysIn, Key *keysOut, const Value *in, Value *out,  \
      detail::Count count, Decomposer decomposer, cudaStream_t = 0) {                              \
    return pairs(storage, bytes, keysIn, keysOut, in, out, count,                                  \
                 detail::DecomposedOrder<Decomposer>{decomposer, isDescending});                   \
  }
  RELAYOUT_SORT(, false)
  RELAYOUT_SORT(Descending, true)
#undef RELAYOUT_SORT

private:
  template <class Key, class Order>
  static cudaError_t keys(void *storage, size_t &bytes, const Key *in, Key *out,
                          detail::Count count, Order order) {
    return detail::run(storage, bytes,
                       [&] { detail::permute(in, out, detail::sortedOrder(in, count, order)); });
  }
  template <class Key, class Value, class Order>
  static cudaError_t pairs(void *storage, size_t &bytes, const Key *keysIn, Key *keysOut,
                           const Value *in, Value *out, detail::Count count, Order order) {
    return detail::run(storage, bytes, [&] {
      const auto places = detail::sortedOrder(keysIn, count, order);
      detail::permute(in, out, places);
      detail::permute(keysIn, keysOut, places);
    });
  }
};

} // namespace cub
