// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: prefix sums of whole arrays, also in place.
#pragma once

#include "../detail/device_call.cuh"

namespace cub {

namespace detail {

template <class In, class Out, class Operation>
void inclusiveScan(In in, Out out, Operation &operation, Count first, Count last) {
  if (first == last)
    return;
  auto start = itemOf(in, first);
  RELAYOUT_SUM_OF(operation, start, In) sum = start;
  put(out + first, sum);
  for (Count i = first + 1; i < last; ++i) {
    auto item = itemOf(in, i);
    sum = operation(sum, item);
    put(out + i, sum);
  }
}
template <class In, class Out, class Operation, class T>
void inclusiveScanAfter(In in, Out out, Operation &operation, const T &initial, Count count) {
  auto start = initialValue(initial);
  RELAYOUT_SUM_OF(operation, start, In) sum = start;
  for (Count i = 0; i < count; ++i) {
    auto item = itemOf(in, i);
    sum = operation(sum, item);
    put(out + i, sum);
  }
}
template <class In, class Out, class Operation, class T>
void exclusiveScan(In in, Out out, Operation &operation, const T &initial, Count first,
                   Count last) {
  auto start = initialValue(initial);
  using Sum = RELAYOUT_SUM_OF(operation, start, In);
  Sum sum = start;
  for (Count i = first; i < last; ++i) {
    auto item = itemOf(in, i);
    const Sum next = operation(sum, item);
    put(out + i, sum);
    sum = next;
  }
}

} // namespace detail

struct DeviceScan {
  template <class In, class Out, class Operation>
  static cudaError_t InclusiveScan(void *storage, size_t &bytes, In in, Out out,
                                   Operation operation, detail::Count count, cudaStream_t = 0,
                                   bool = false) {
    return detail::run(storage, bytes,
                       [&] { detail::inclusiveScan(in, out, operation, 0, count); });
  }
  template <class In, class Operation>
  static cudaError_t InclusiveScan(void *storage, size_t &bytes, In items, Operation operation,
                                   detail::Count count, cudaStream_t stream = 0) {
    return InclusiveScan(storage, bytes, items, items, operation, count, stream);
  }
  template <class In, class Out, class Operation, class T>
  static cudaError_t InclusiveScanInit(void *storage, size_t &bytes, In in, Out out,
                                       Operation operation, T initial, detail::Count count,
                                       cudaStream_t = 0) {
    return detail::run(storage, bytes,
                       [&] { detail::inclusiveScanAfter(in, out, operation, initial, count); });
  }
  template <class In, class Out, class Operation, class T>
  static cudaError_t ExclusiveScan(void *storage, size_t &bytes, In in, Out out,
                                   Operation operation, T initial, detail::Count count,
                                   cudaStream_t = 0, bool = false) {
    return detail::run(storage, bytes,
                       [&] { detail::exclusiveScan(in, out, operation, initial, 0, count); });
  }
  template <class In, class Operation, class T>
  static cudaError_t ExclusiveScan(void *storage, size_t &bytes, In items, Operation operation,
                                   T initial, detail::Count count, cudaStream_t stream = 0) {
    return ExclusiveScan(storage, bytes, items, items, operation, initial, count, stream);
  }
  template <class In, class Out>
  static cudaError_t InclusiveSum(void *storage, size_t &bytes, In in, Out out, detail::Count count,
                                  cudaStream_t = 0, bool = false) {
    return InclusiveScan(storage, bytes, in, out, cub::Sum(), count);
  }
  template <class In>
  static cudaError_t InclusiveSum(void *storage, size_t &bytes, In items, detail::Count count,
                                  cudaStream_t = 0) {
    return InclusiveScan(storage, bytes, items, items, cub::Sum(), count);
  }
  template <class In, class Out>
  static cudaError_t ExclusiveSum(void *storage, size_t &bytes, In in, Out out, detail::Count count,
                                  cudaStream_t = 0, bool = false) {
    return ExclusiveScan(storage, bytes, in, out, cub::Sum(), detail::ValueOf<In>(), count);
  }
  template <class In>
  static cudaError_t ExclusiveSum(void *storage, size_t &bytes, In items, detail::Count count,
                                  cudaStream_t = 0) {
    return ExclusiveSum(storage, bytes, items, items, count);
  }

  // Begun anew wherever a key differs from the one before it.
  template <class Keys, class In, class Out, class Operation, class Equal = cub::Equality>
  static cudaError_t InclusiveScanByKey(void *storage, size_t &bytes, Keys keys, In in, Out out,
                                        Operation operation, detail::Count count,
                                        Equal equal = Equal(), cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      detail::forEachRun(keys, count, equal, [&](detail::Count first, detail::Count last) {
        detail::inclusiveScan(in, out, operation, first, last);
      });
    });
  }
  template <class Keys, class In, class Out, class Operation, class T, class Equal = cub::Equality>
  static cudaError_t ExclusiveScanByKey(void *storage, size_t &bytes, Keys keys, In in, Out out,
                                        Operation operation, T initial, detail::Count count,
                                        Equal equal = Equal(), cudaStream_t = 0) {
    return detail::run(storage, bytes, [&] {
      detail::forEachRun(keys, count, equal, [&](detail::Count first, detail::Count last) {
        detail::exclusiveScan(in, out, operation, initial, first, last);
      });
    });
  }
  template <class Keys, class In, class Out, class Equal = cub::Equality>
  static cudaError_t InclusiveSumByKey(void *storage, size_t &bytes, Keys keys, In in, Out out,
                                       detail::Count count, Equal equal = Equal(),
                                       cudaStream_t = 0) {
    return InclusiveScanByKey(storage, bytes, keys, in, out, cub::Sum(), count, equal);
  }
  template <class Keys, class In, class Out, class Equal = cub::Equality>
  static cudaError_t ExclusiveSumByKey(void *storage, size_t &bytes, Keys keys, In in, Out out,
                                       detail::Count count, Equal equal = Equal(),
                                       cudaStream_t = 0) {
    return ExclusiveScanByKey(storage, bytes, keys, in, out, cub::Sum(), detail::ValueOf<In>(),
                              count, equal);
  }
};

} // namespace cub
