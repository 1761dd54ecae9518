// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: items that are selected, and then the others.
#pragma once

#include "../detail/device_call.cuh"

namespace cub {

/// Of two parts, the second begins at the end of the output and goes back. Three are in order.
struct DevicePartition {
  template <class In, class Flag, class Out, class Number>
  static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flag flags, Out out,
                             Number number, detail::Count count, cudaStream_t = 0, bool = false) {
    return split(storage, bytes, in, out, number, count,
                 [&](detail::Count i) { return static_cast<bool>(flags[i]); });
  }
  template <class In, class Out, class Number, class Predicate>
  static cudaError_t If(void *storage, size_t &bytes, In in, Out out, Number number,
                        detail::Count count, Predicate predicate, cudaStream_t = 0, bool = false) {
    return split(storage, bytes, in, out, number, count,
                 [&](detail::Count i) { return detail::holds(predicate, in, i); });
  }
  template <class In, class First, class Second, class Rest, class Number, class IsFirst,
            class IsSecond>
  static cudaError_t If(void *storage, size_t &bytes, In in, First first, Second second, Rest rest,
                        Number numbers, detail::Count count, IsFirst isFirst, IsSecond isSecond,
                        cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] {
      detail::Count ofFirst = 0, ofSecond = 0, others = 0;
      for (detail::Count i = 0; i < count; ++i) {
        if (detail::holds(isFirst, in, i))
          first[ofFirst++] = in[i];
        else if (detail::holds(isSecond, in, i))
          second[ofSecond++] = in[i];
        else
          rest[others++] = in[i];
      }
      detail::put(numbers, ofFirst);
      detail::put(numbers + 1, ofSecond);
    });
  }

private:
  template <class In, class Out, class Number, class IsFirst>
  static cudaError_t split(void *storage, size_t &bytes, In in, Out out, Number number,
                           detail::Count count, IsFirst isFirst) {
    return detail::run(storage, bytes, [&] {
      detail::Count kept = 0, others = count;
      for (detail::Count i = 0; i < count; ++i)
        out[isFirst(i) ? kept++ : --others] = in[i];
      detail::put(number, kept);
    });
  }
};

} // namespace cub
