// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: runs of equal items.
#pragma once

#include "../detail/device_call.cuh"

namespace cub {

struct DeviceRunLengthEncode {
  template <class In, class Unique, class Lengths, class Number>
  static cudaError_t Encode(void *storage, size_t &bytes, In in, Unique unique, Lengths lengths,
                            Number number, detail::Count count, cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] {
      detail::Count runs = 0;
      detail::forEachRun(in, count, cub::Equality(), [&](detail::Count first, detail::Count last) {
        detail::put(unique + runs, static_cast<detail::ValueOf<In>>(in[first]));
        detail::put(lengths + runs, last - first);
        ++runs;
      });
      detail::put(number, runs);
    });
  }
  /// Those of more than one item.
  template <class In, class Offsets, class Lengths, class Number>
  static cudaError_t NonTrivialRuns(void *storage, size_t &bytes, In in, Offsets offsets,
                                    Lengths lengths, Number number, detail::Count count,
                                    cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes, [&] {
      detail::Count runs = 0;
      detail::forEachRun(in, count, cub::Equality(), [&](detail::Count first, detail::Count last) {
        if (last - first == 1)
          return;
        detail::put(offsets + runs, first);
        detail::put(lengths + runs, last - first);
        ++runs;
      });
      detail::put(number, runs);
    });
  }
};

} // namespace cub
