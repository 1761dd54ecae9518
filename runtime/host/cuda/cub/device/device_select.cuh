// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: items that are selected, in order, also in place.
#pragma once

#include "../detail/device_call.cuh"

namespace cub {

struct DeviceSelect {
  template <class In, class Flag, class Out, class Number>
  static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flag flags, Out out,
                             Number number, detail::Count count, cudaStream_t = 0, bool = false) {
    return select(storage, bytes, in, out, number, count,
                  [&](detail::Count i) { return static_cast<bool>(flags[i]); });
  }
  template <class In, class Flag, class Number>
  static cudaError_t Flagged(void *storage, size_t &bytes, In items, Flag flags, Number number,
                             detail::Count count, cudaStream_t = 0, bool = false) {
    return Flagged(storage, bytes, items, flags, items, number, count);
  }
  template <class In, class Out, class Number, class Predicate>
  static cudaError_t If(void *storage, size_t &bytes, In in, Out out, Number number,
                        detail::Count count, Predicate predicate, cudaStream_t = 0, bool = false) {
    return select(storage, bytes, in, out, number, count,
                  [&](detail::Count i) { return detail::holds(predicate, in, i); });
  }
  template <class In, class Number, class Predicate>
  static cudaError_t If(void *storage, size_t &bytes, In items, Number number, detail::Count count,
                        Predicate predicate, cudaStream_t = 0, bool = false) {
    return If(storage, bytes, items, items, number, count, predicate);
  }
  template <class In, class Flag, class Out, class Number, class Predicate>
  static cudaError_t FlaggedIf(void *storage, size_t &bytes, In in, Flag flags, Out out,
                               Number number, detail::Count count, Predicate predicate,
                               cudaStream_t = 0) {
    return select(storage, bytes, in, out, number, count,
                  [&](detail::Count i) { return detail::holds(predicate, flags, i); });
  }
  template <class In, class Flag, class Number, class Predicate>
  static cudaError_t FlaggedIf(void *storage, size_t &bytes, In items, Flag flags, Number number,
                               detail::Count count, Predicate predicate, cudaStream_t = 0) {
    return FlaggedIf(storage, bytes, items, flags, items, number, count, predicate);
  }
  template <class In, class Out, class Number>
  static cudaError_t Unique(void *storage, size_t &bytes, In in, Out out, Number number,
                            detail::Count count, cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] {
      detail::Count kept = 0;
      detail::forEachRun(in, count, cub::Equality(),
                         [&](detail::Count first, detail::Count) { out[kept++] = in[first]; });
      detail::put(number, kept);
    });
  }
  template <class Keys, class Values, class KeysOut, class ValuesOut, class Number, class Equal,
            detail::IfFunctor<Equal> = 0>
  static cudaError_t UniqueByKey(void *storage, size_t &bytes, Keys keys, Values values,
                                 KeysOut keysOut, ValuesOut valuesOut, Number number,
                                 detail::Count count, Equal equal, cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      detail::Count kept = 0;
      detail::forEachRun(keys, count, equal, [&](detail::Count first, detail::Count) {
        keysOut[kept] = keys[first];
        valuesOut[kept++] = values[first];
      });
      detail::put(number, kept);
    });
  }
  template <class Keys, class Values, class KeysOut, class ValuesOut, class Number>
  static cudaError_t UniqueByKey(void *storage, size_t &bytes, Keys keys, Values values,
                                 KeysOut keysOut, ValuesOut valuesOut, Number number,
                                 detail::Count count, cudaStream_t = 0, bool = false) {
    return UniqueByKey(storage, bytes, keys, values, keysOut, valuesOut, number, count,
                       cub::Equality());
  }

private:
  template <class In, class Out, class Number, class IsKept>
  static cudaError_t select(void *storage, size_t &bytes, In in, Out out, Number number,
                            detail::Count count, IsKept isKept) {
    return detail::run(storage, bytes, [&] {
      detail::Count kept = 0;
      for (detail::Count i = 0; i < count; ++i)
        if (isKept(i))
          out[kept++] = in[i];
      detail::put(number, kept);
    });
  }
};

} // namespace cub
