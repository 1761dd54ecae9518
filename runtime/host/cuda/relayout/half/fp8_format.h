// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the bits of 8-bit floating point formats. Every finite value is
// one of half precision as well; a conversion to 8 bits rounds once, to nearest even.
#pragma once

#include "host_defines.h"

#include <math.h>

namespace relayout::half {

/// \tparam kExponentBits  4: one NaN and no infinity; 5: as half precision
template <int kExponentBits> struct Fp8Format {
  static constexpr int kFractionBits = 7 - kExponentBits;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr unsigned char kNan = 0x7f;
  static constexpr unsigned char kLargest = kExponentBits == 4 ? 0x7e : 0x7b;
  static constexpr unsigned char kOverflow = kExponentBits == 4 ? kNan : 0x7c;

  __host__ __device__ static double decode(unsigned char bits) {
    const int size = bits & 0x7f;
    const int exponent = size >> kFractionBits;
    const int fraction = size & ((1 << kFractionBits) - 1);
    double value;
    if (size > kLargest)
      value = size == kOverflow && kOverflow != kNan ? __builtin_inf() : __builtin_nan("");
    else if (exponent == 0)
      value = __builtin_ldexp(fraction, 1 - kBias - kFractionBits);
    else
      value = __builtin_ldexp((1 << kFractionBits) + fraction, exponent - kBias - kFractionBits);
    return (bits & 0x80) != 0 ? -value : value;
  }

  /// \param isSaturated  what is too large becomes the largest finite value
  __host__ __device__ static unsigned char encode(double value, bool isSaturated) {
    if (value != value)
      return kNan;
    const unsigned char sign = __builtin_signbit(value) ? 0x80 : 0;
    const double size = __builtin_fabs(value);
    if (size > 65536)
      return sign | (isSaturated ? kLargest : kOverflow);
    if (size == 0)
      return sign;
    int exponent = 0;
    __builtin_frexp(size, &exponent);
    const bool isSubnormal = exponent - 1 < 1 - kBias;
    const int unit = (isSubnormal ? 1 - kBias : exponent - 1) - kFractionBits;
    const int biased = isSubnormal ? 0 : exponent - 1 + kBias - 1;
    // A carry out of the fraction raises the exponent by itself.
    const int bits =
        (biased << kFractionBits) + static_cast<int>(__builtin_rint(__builtin_ldexp(size, -unit)));
    if (bits > kLargest)
      return sign | (isSaturated ? kLargest : kOverflow);
    return static_cast<unsigned char>(sign | bits);
  }
};

/// An integer's nearest value in its range; 0 of a NaN.
template <class I> __host__ __device__ inline I clamped(double value) {
  constexpr bool kIsSigned = static_cast<I>(-1) < static_cast<I>(0);
  const double limit = __builtin_ldexp(1.0, 8 * static_cast<int>(sizeof(I)) - (kIsSigned ? 1 : 0));
  const I largest =
      static_cast<I>(kIsSigned ? ~0ull >> (65 - 8 * static_cast<int>(sizeof(I))) : ~0ull);
  if (value != value)
    return 0;
  if (value >= limit)
    return largest;
  if (value < (kIsSigned ? -limit : 0.0))
    return kIsSigned ? static_cast<I>(-largest - 1) : static_cast<I>(0);
  return static_cast<I>(value);
}

} // namespace relayout::half
