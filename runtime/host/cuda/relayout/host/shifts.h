// SPDX-License-Identifier: Apache-2.0
// Shifts of device code by counts that are known at run time alone, as a GPU makes them.
#pragma once

#include "relayout/host/float_to_integer.h"

#include <cstdint>
#include <type_traits>

namespace relayout::host {

/// Around the count: `value << ShiftCount(n)`. By as many bits as the value has, or more, a GPU
/// shifts all of them out, where C++ leaves open what comes of it.
/// Source: PTX ISA, "shl" and "shr".
struct ShiftCount {
  template <class N> explicit ShiftCount(N count) : bits(static_cast<std::uint32_t>(count)) {}
  std::uint32_t bits;
};

namespace detail {

template <class T> using Promoted = decltype(+T());

template <class V> bool shiftsAllOut(ShiftCount count) {
  return __builtin_expect(count.bits >= sizeof(V) * 8, 0) && isInKernel();
}

} // namespace detail

template <class T> inline detail::Promoted<T> operator<<(T value, ShiftCount count) {
  using V = detail::Promoted<T>;
  return detail::shiftsAllOut<V>(count) ? V(0)
                                        : static_cast<V>(static_cast<V>(value) << count.bits);
}

template <class T> inline detail::Promoted<T> operator>>(T value, ShiftCount count) {
  using V = detail::Promoted<T>;
  const V wide = value;
  return detail::shiftsAllOut<V>(count) ? V(wide < 0 ? -1 : 0) : static_cast<V>(wide >> count.bits);
}

template <class T> inline T &operator<<=(T &value, ShiftCount count) {
  value = static_cast<std::remove_cv_t<T>>(std::remove_cv_t<T>(value) << count);
  return value;
}

template <class T> inline T &operator>>=(T &value, ShiftCount count) {
  value = static_cast<std::remove_cv_t<T>>(std::remove_cv_t<T>(value) >> count);
  return value;
}

} // namespace relayout::host
