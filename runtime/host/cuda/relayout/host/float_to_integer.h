// SPDX-License-Identifier: Apache-2.0
// Conversions of device code from floating-point numbers to integers, as a GPU makes them.
#pragma once

#include <limits>
#include <type_traits>

namespace relayout::host {

namespace detail {

/// Whether this thread runs a kernel's.
bool isInKernel();

/// A GPU converts to no integer of less than 32 bits.
template <class Integer>
using Converted = std::conditional_t<(sizeof(Integer) >= 4), Integer,
                                     std::conditional_t<std::is_signed_v<Integer>, int, unsigned>>;

/// Of a value that the integer cannot represent: the nearest that it can; of what is no number 0,
/// or the highest bit where either side has 64.
template <class Integer, class Float> Integer nearestTo(Float value) {
  using Limits = std::numeric_limits<Integer>;
  if (value == value)
    return value < 0 ? Limits::min() : Limits::max();
  return sizeof(Integer) == 4 && sizeof(Float) == 4
             ? Integer(0)
             : static_cast<Integer>(std::make_unsigned_t<Integer>(1) << (sizeof(Integer) * 8 - 1));
}

} // namespace detail

/// Around what device code converts to an integer, with `(int)` or without.
/// Source: PTX ISA, "cvt".
template <class Integer, class Float> inline Integer toInteger(Float value) {
  using Wide = detail::Converted<Integer>;
  constexpr auto kBeyond = static_cast<Float>(std::numeric_limits<Wide>::max() / 2 + 1) * 2;
  constexpr auto kLowest = static_cast<Float>(std::numeric_limits<Wide>::min());
  if (__builtin_expect((value >= kLowest && value < kBeyond) || !detail::isInKernel(), 1))
    return static_cast<Integer>(static_cast<Wide>(value));
  return static_cast<Integer>(detail::nearestTo<Wide>(value));
}

} // namespace relayout::host
