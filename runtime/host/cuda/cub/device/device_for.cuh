// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: calls a function for each place or item.
#pragma once

#include "../detail/device_call.cuh"

namespace cub {

/// With temporary storage, and without.
struct DeviceFor {
  template <class Shape, class Function>
  static cudaError_t Bulk(Shape shape, Function function, cudaStream_t = {}) {
    for (Shape i = 0; i < shape; ++i)
      function(i);
    return cudaSuccess;
  }
  template <class In, class Number, class Function>
  static cudaError_t ForEachN(In first, Number count, Function function, cudaStream_t = {}) {
    for (Number i = 0; i < count; ++i)
      function(first[i]);
    return cudaSuccess;
  }
  template <class In, class Function>
  static cudaError_t ForEach(In first, In last, Function function, cudaStream_t = {}) {
    return ForEachN(first, static_cast<detail::Count>(last - first), function);
  }
  // The function gets copies of the items.
  template <class In, class Number, class Function>
  static cudaError_t ForEachCopyN(In first, Number count, Function function, cudaStream_t = {}) {
    for (Number i = 0; i < count; ++i)
      function(static_cast<detail::ValueOf<In>>(first[i]));
    return cudaSuccess;
  }
  template <class In, class Function>
  static cudaError_t ForEachCopy(In first, In last, Function function, cudaStream_t = {}) {
    return ForEachCopyN(first, static_cast<detail::Count>(last - first), function);
  }

  template <class Shape, class Function>
  static cudaError_t Bulk(void *storage, size_t &bytes, Shape shape, Function function,
                          cudaStream_t = {}) {
    return detail::run(storage, bytes, [&] { Bulk(shape, function); });
  }
#define RELAYOUT_FOR_EACH(name)                                                                    \
  template <class In, class Bound, class Function>                                                 \
  static cudaError_t name(void *storage, size_t &bytes, In first, Bound bound, Function function,  \
                          cudaStream_t = {}) {                                                     \
    return detail::run(storage, bytes, [&] { name(first, bound, function); });                     \
  }
  RELAYOUT_FOR_EACH(ForEachN)
  RELAYOUT_FOR_EACH(ForEach)
  RELAYOUT_FOR_EACH(ForEachCopyN)
  RELAYOUT_FOR_EACH(ForEachCopy)
#undef RELAYOUT_FOR_EACH
};

} // namespace cub
