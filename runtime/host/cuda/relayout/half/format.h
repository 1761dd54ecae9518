// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: the bits of 16-bit floating point formats. All arithmetic is
// done in double and rounded once; what does not fit a double is rounded to odd before, so that
// the second rounding is right.
#pragma once

#include "host_defines.h"

#include <limits>
#include <math.h>

namespace relayout::half {

enum class Rounding { Nearest, Zero, Up, Down };

/// \tparam kExponentBits  5 for half, 8 for bfloat16
template <int kExponentBits> struct Format {
  static constexpr int kFractionBits = 15 - kExponentBits;
  static constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  static constexpr unsigned short kInfinity = ((1 << kExponentBits) - 1) << kFractionBits;
  static constexpr unsigned short kNan = 0x7fff;

  __host__ __device__ static double decode(unsigned short bits) {
    const int exponent = (bits & 0x7fff) >> kFractionBits;
    const int fraction = bits & ((1 << kFractionBits) - 1);
    double size;
    if (exponent == (1 << kExponentBits) - 1)
      size = fraction != 0 ? __builtin_nan("") : __builtin_inf();
    else if (exponent == 0)
      size = __builtin_ldexp(fraction, 1 - kBias - kFractionBits);
    else
      size = __builtin_ldexp((1 << kFractionBits) + fraction, exponent - kBias - kFractionBits);
    return (bits & 0x8000) != 0 ? -size : size;
  }

  __host__ __device__ static unsigned short encode(double value,
                                                   Rounding rounding = Rounding::Nearest) {
    if (value != value)
      return kNan;
    const unsigned short sign = __builtin_signbit(value) ? 0x8000 : 0;
    const double size = __builtin_fabs(value);
    if (size == 0 || size == __builtin_inf())
      return size == 0 ? sign : sign | kInfinity;
    int exponent = 0;
    __builtin_frexp(size, &exponent);
    // In units of the last place; subnormals have the smallest normal's.
    const int unit = (exponent - 1 < 1 - kBias ? 1 - kBias : exponent - 1) - kFractionBits;
    const double scaled = __builtin_ldexp(size, -unit);
    const double whole = rounded(scaled, rounding, sign != 0);
    // A carry out of the fraction raises the exponent by itself.
    const int biased = exponent - 1 < 1 - kBias ? 0 : exponent - 1 + kBias - 1;
    const long long bits =
        (static_cast<long long>(biased) << kFractionBits) + static_cast<long long>(whole);
    if (bits < kInfinity)
      return static_cast<unsigned short>(sign | bits);
    return sign | (overflows(rounding, sign != 0) ? kInfinity : kInfinity - 1);
  }

private:
  __host__ __device__ static double rounded(double size, Rounding rounding, bool isNegative) {
    switch (rounding) {
    case Rounding::Zero:
      return __builtin_trunc(size);
    case Rounding::Up:
      return isNegative ? __builtin_trunc(size) : __builtin_ceil(size);
    case Rounding::Down:
      return isNegative ? __builtin_ceil(size) : __builtin_trunc(size);
    case Rounding::Nearest:
      break;
    }
    return __builtin_rint(size);
  }
  __host__ __device__ static bool overflows(Rounding rounding, bool isNegative) {
    return rounding == Rounding::Nearest || (rounding == Rounding::Up && !isNegative) ||
           (rounding == Rounding::Down && isNegative);
  }
};

/// a + b, rounded to odd: the last bit is set where the sum is not exact.
__host__ __device__ inline double sumToOdd(double a, double b) {
  const double sum = a + b;
  const double ofB = sum - a;
  const double lost = (a - (sum - ofB)) + (b - ofB);
  if (lost == 0 || !__builtin_isfinite(sum))
    return sum;
  unsigned long long bits;
  __builtin_memcpy(&bits, &sum, sizeof bits);
  if ((bits & 1) != 0)
    return sum;
  // The neighbour towards the exact sum.
  bits += (lost > 0) == (sum > 0) ? 1 : -1;
  double odd;
  __builtin_memcpy(&odd, &bits, sizeof odd);
  return odd;
}

template <class I> __host__ __device__ inline double toDouble(I value) {
  if (sizeof(I) < 8)
    return static_cast<double>(value);
  const I low = value & static_cast<I>(0xffffffff);
  return sumToOdd(static_cast<double>(value - low), static_cast<double>(low));
}

/// The integer towards zero, or the nearest that there is; of what is no number 0, or the highest
/// bit of 64.
template <class I> __host__ __device__ inline I toInteger(double value) {
  constexpr I kLowest = (std::numeric_limits<I>::min)(), kHighest = (std::numeric_limits<I>::max)();
  if (value != value)
    return sizeof(I) < 8 ? I(0) : static_cast<I>(1ull << 63);
  if (value <= static_cast<double>(kLowest))
    return kLowest;
  if (value >= static_cast<double>(kHighest))
    return kHighest;
  return static_cast<I>(value);
}

} // namespace relayout::half
