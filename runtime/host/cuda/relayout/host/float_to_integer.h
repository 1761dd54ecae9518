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
template <class I>
using Wide =
    std::conditional_t<(sizeof(I) >= 4), I, std::conditional_t<std::is_signed_v<I>, int, unsigned>>;

/// Of a value that the integer cannot represent: the nearest that it can; of what is no number 0,
/// or the highest bit where either side has 64.
template <class I, class F> I nearestTo(F value) {
  if (value == value)
    return value < 0 ? (std::numeric_limits<I>::min)() : (std::numeric_limits<I>::max)();
  return sizeof(I) == 4 && sizeof(F) == 4
             ? I(0)
             : static_cast<I>(std::make_unsigned_t<I>(1) << (sizeof(I) * 8 - 1));
}

} // namespace detail

/// Around what device code converts to an integer, with `(int)` or without.
/// Source: PTX ISA, "cvt".
template <class I, class F> inline I toInteger(F value) {
  using W = detail::Wide<I>;
  constexpr auto kBeyond = static_cast<F>((std::numeric_limits<W>::max)() / 2 + 1) * 2;
  constexpr auto kLowest = static_cast<F>((std::numeric_limits<W>::min)());
  if (__builtin_expect((value >= kLowest && value < kBeyond) || !detail::isInKernel(), 1))
    return static_cast<I>(static_cast<W>(value));
  return static_cast<I>(detail::nearestTo<W>(value));
}

} // namespace relayout::host
