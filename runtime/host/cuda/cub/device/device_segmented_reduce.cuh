// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: reductions of segments of arrays.
#pragma once

#include "device_reduce.cuh"

namespace cub {

struct DeviceSegmentedReduce {
  template <class In, class Out, class Begin, class End, class Operation, class T>
  static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, detail::Count segments,
                            Begin begins, End ends, Operation operation, T initial,
                            cudaStream_t = 0, bool = false) {
    return forEach(storage, bytes, segments, begins, ends, [&](auto i, auto first, auto last) {
      detail::put(out + i, detail::reduced(in, first, last, operation, initial));
    });
  }
#define RELAYOUT_REDUCE(name, operation, initial)                                                  \
  template <class In, class Out, class Begin, class End>                                           \
  static cudaError_t name(void *storage, size_t &bytes, In in, Out out, detail::Count segments,    \
                          Begin begins, End ends, cudaStream_t = 0, bool = false) {                \
    return Reduce(storage, bytes, in, out, segments, begins, ends, operation, initial);            \
  }
#define RELAYOUT_ARG(name, isMax)                                                                  \
  template <class In, class Out, class Begin, class End>                                           \
  static cudaError_t name(void *storage, size_t &bytes, In in, Out out, detail::Count segments,    \
                          Begin begins, End ends, cudaStream_t = 0, bool = false) {                \
    return forEach(storage, bytes, segments, begins, ends, [&](auto i, auto first, auto last) {    \
      detail::putBest<isMax>(in, first, last, out + i);                                            \
    });                                                                                            \
  }
  RELAYOUT_REDUCE(Sum, cub::Sum(), (detail::OutOr<In, Out>()))
  RELAYOUT_REDUCE(Min, cub::Min(), (detail::worst<false, detail::ValueOf<In>>()))
  RELAYOUT_REDUCE(Max, cub::Max(), (detail::worst<true, detail::ValueOf<In>>()))
  RELAYOUT_ARG(ArgMin, false)
  RELAYOUT_ARG(ArgMax, true)
#undef RELAYOUT_REDUCE
#undef RELAYOUT_ARG

private:
  template <class Begin, class End, class Each>
  static cudaError_t forEach(void *storage, size_t &bytes, detail::Count segments, Begin begins,
                             End ends, Each each) {
    return detail::run(storage, bytes, [&] {
      for (detail::Count i = 0; i < segments; ++i) {
        const auto first = static_cast<detail::Count>(begins[i]);
        const auto last = static_cast<detail::Count>(ends[i]);
        each(i, first, last < first ? first : last);
      }
    });
  }
};

} // namespace cub
