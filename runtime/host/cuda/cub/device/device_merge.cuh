// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: merges of two sorted arrays; of equal keys, those of the first come
// first.
#pragma once

#include "../detail/device_call.cuh"

namespace cub {

struct DeviceMerge {
  template <class Keys1, class Keys2, class KeysOut, class Less = detail::Less>
  static cudaError_t MergeKeys(void *storage, size_t &bytes, Keys1 keys1, detail::Count count1,
                               Keys2 keys2, detail::Count count2, KeysOut keysOut,
                               Less less = Less(), cudaStream_t = 0) {
    return merge(storage, bytes, keys1, count1, keys2, count2, less,
                 [&](detail::Count to, bool isSecond, detail::Count from) {
                   if (isSecond)
                     keysOut[to] = keys2[from];
                   else
                     keysOut[to] = keys1[from];
                 });
  }
  template <class Keys1, class Values1, class Keys2, class Values2, class KeysOut, class ValuesOut,
            class Less = detail::Less>
  static cudaError_t MergePairs(void *storage, size_t &bytes, Keys1 keys1, Values1 values1,
                                detail::Count count1, Keys2 keys2, Values2 values2,
                                detail::Count count2, KeysOut keysOut, ValuesOut valuesOut,
                                Less less = Less(), cudaStream_t = 0) {
    return merge(storage, bytes, keys1, count1, keys2, count2, less,
                 [&](detail::Count to, bool isSecond, detail::Count from) {
                   if (isSecond) {
                     keysOut[to] = keys2[from];
                     valuesOut[to] = values2[from];
                   } else {
                     keysOut[to] = keys1[from];
                     valuesOut[to] = values1[from];
                   }
                 });
  }

private:
  template <class Keys1, class Keys2, class Less, class Move>
  static cudaError_t merge(void *storage, size_t &bytes, Keys1 keys1, detail::Count count1,
                           Keys2 keys2, detail::Count count2, Less less, Move move) {
    return detail::run(storage, bytes, [&] {
      detail::Count of1 = 0, of2 = 0;
      while (of1 < count1 || of2 < count2) {
        const bool isSecond =
            of1 == count1 || (of2 < count2 && static_cast<bool>(less(keys2[of2], keys1[of1])));
        move(of1 + of2, isSecond, isSecond ? of2 : of1);
        ++(isSecond ? of2 : of1);
      }
    });
  }
};

} // namespace cub
