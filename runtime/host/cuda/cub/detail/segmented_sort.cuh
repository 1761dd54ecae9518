// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: sorts of the segments of an array, stably.
#pragma once

#include "device_call.cuh"
#include "radix_order.cuh"

namespace cub {

namespace detail {

template <class Key> RadixOrder allBits(bool isDescending) {
  return {0, static_cast<int>(sizeof(Key) * 8), isDescending};
}

struct SegmentedSort {
  template <class Key, class Begin, class End>
  static cudaError_t keys(void *storage, size_t &bytes, const Key *in, Key *out, Count segments,
                          Begin begins, End ends, RadixOrder less) {
    return run(storage, bytes, [&] {
      for (Count i = 0; i < segments; ++i)
        if (const Count first = begins[i], last = ends[i]; first < last)
          permute(in + first, out + first, sortedOrder(in + first, last - first, less));
    });
  }
  template <class Key, class Value, class Begin, class End>
  static cudaError_t pairs(void *storage, size_t &bytes, const Key *keysIn, Key *keysOut,
                           const Value *in, Value *out, Count segments, Begin begins, End ends,
                           RadixOrder less) {
    return run(storage, bytes, [&] {
      for (Count i = 0; i < segments; ++i)
        if (const Count first = begins[i], last = ends[i]; first < last) {
          const auto order = sortedOrder(keysIn + first, last - first, less);
          permute(in + first, out + first, order);
          permute(keysIn + first, keysOut + first, order);
        }
    });
  }
};

} // namespace detail

} // namespace cub
