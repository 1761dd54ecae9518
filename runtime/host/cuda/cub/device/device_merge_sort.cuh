// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: sorts of whole arrays by a comparison, stably.
#pragma once

#include "../detail/device_call.cuh"

namespace cub {

struct DeviceMergeSort {
#define RELAYOUT_SORT(prefix)                                                                      \
  template <class Keys, class Less>                                                                \
  static cudaError_t prefix##SortKeys(void *storage, size_t &bytes, Keys keys,                     \
                                      detail::Count count, Less less, cudaStream_t = 0,            \
                                      bool = false) {                                              \
    return sort(storage, bytes, keys, keys, count, less);                                          \
  }                                                                                                \
  template <class Keys, class KeysOut, class Less>                                                 \
  static cudaError_t prefix##SortKeysCopy(void *storage, size_t &bytes, Keys keys, KeysOut out,    \
                                          detail::Count count, Less less, cudaStream_t = 0,        \
                                          bool = false) {                                          \
    return sort(storage, bytes, keys, out, count, less);                                           \
  }                                                                                                \
  template <class Keys, class Values, class Less>                                                  \
  static cudaError_t prefix##SortPairs(void *storage, size_t &bytes, Keys keys, Values values,     \
                                       detail::Count count, Less less, cudaStream_t = 0,           \
                                       bool = false) {                                             \
    return sort(storage, bytes, keys, values, keys, values, count, less);                          \
  }                                                                                                \
  template <class Keys, class Values, class KeysOut, class ValuesOut, class Less>                  \
  static cudaError_t prefix##SortPairsCopy(                                                        \
      void *storage, size_t &bytes, Keys keys, Values values, KeysOut keysOut,                     \
      ValuesOut valuesOut, detail::Count count, Less less, cudaStream_t = 0, bool = false) {       \
    return sort(storage, bytes, keys, values, keysOut, valuesOut, count, less);                    \
  }
  RELAYOUT_SORT()
  RELAYOUT_SORT(Stable)
#undef RELAYOUT_SORT

private:
  template <class Keys, class KeysOut, class Less>
  static cudaError_t sort(void *storage, size_t &bytes, Keys keys, KeysOut out, detail::Count count,
                          Less less) {
    return detail::run(storage, bytes,
                       [&] { detail::permute(keys, out, detail::sortedOrder(keys, count, less)); });
  }
  template <class Keys, class Values, class KeysOut, class ValuesOut, class Less>
  static cudaError_t sort(void *storage, size_t &bytes, Keys keys, Values values, KeysOut keysOut,
                          ValuesOut valuesOut, detail::Count count, Less less) {
    return detail::run(storage, bytes, [&] {
      const auto order = detail::sortedOrder(keys, count, less);
      detail::permute(values, valuesOut, order);
      detail::permute(keys, keysOut, order);
    });
  }
};

} // namespace cub
