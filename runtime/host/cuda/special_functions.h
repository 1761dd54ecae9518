// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: error functions and their inverses, Bessel functions and norms
// that the C library lacks. Included by math_functions.h, which defines RELAYOUT_HD.
#pragma once

namespace relayout::host::detail {

/// 2 / sqrt(pi), the derivative of erf at 0.
constexpr double kErfSlope = 1.12837916709551257390;

/// Of 0 < x <= 1, by Halley's steps from an approximation of four digits (Abramowitz and Stegun,
/// 26.2.23): the y with erfc(y) = x.
RELAYOUT_HD double upperErfcInverse(double x) {
  const double t = ::sqrt(-2.0 * ::log(0.5 * x));
  double y =
      0.70710678118654752440 * (t - (2.515517 + t * (0.802853 + t * 0.010328)) /
                                        (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
  for (int step = 0; step < 3; ++step) {
    const double off = (::erfc(y) - x) / (kErfSlope * ::exp(-y * y));
    y += off / (1.0 - y * off);
  }
  return y;
}

} // namespace relayout::host::detail

RELAYOUT_HD double erfcinv(double x) {
  using namespace relayout::host::detail;
  if (!(x > 0.0 && x < 2.0))
    return x == 0.0 ? __builtin_inf() : x == 2.0 ? -__builtin_inf() : __builtin_nan("");
  return x <= 1.0 ? upperErfcInverse(x) : -upperErfcInverse(2.0 - x);
}
RELAYOUT_HD double erfinv(double x) {
  using namespace relayout::host::detail;
  const double size = ::fabs(x);
  if (size >= 0.5)
    return ::copysign(erfcinv(1.0 - size), x);
  double y = x / kErfSlope; // small, where 1 - x would lose its bits
  for (int step = 0; step < 4; ++step) {
    const double off = (::erf(y) - x) / (kErfSlope * ::exp(-y * y));
    y -= off / (1.0 + y * off);
  }
  return y;
}
RELAYOUT_HD double normcdfinv(double p) { return -1.41421356237309504880 * erfcinv(2.0 * p); }

/// exp(x * x) * erfc(x)
RELAYOUT_HD double erfcx(double x) {
  if (x < 5.0)
    return ::exp(x * x) * ::erfc(x);
  double below = x; // Laplace's continued fraction, from its end
  for (int k = 60; k > 0; --k)
    below = x + 0.5 * k / below;
  return 0.5 * relayout::host::detail::kErfSlope / below;
}

// Their series have positive terms alone.
RELAYOUT_HD double cyl_bessel_i0(double x) {
  const double quarter = 0.25 * x * x;
  double term = 1.0, sum = 1.0;
  for (int k = 1; term > 0x1p-54 * sum && k < 2000; ++k) {
    term *= quarter / (double(k) * k);
    sum += term;
  }
  return sum;
}
RELAYOUT_HD double cyl_bessel_i1(double x) {
  const double quarter = 0.25 * x * x;
  double term = 1.0, sum = 1.0;
  for (int k = 1; term > 0x1p-54 * sum && k < 2000; ++k) {
    term *= quarter / (double(k) * (k + 1));
    sum += term;
  }
  return 0.5 * x * sum;
}

RELAYOUT_HD double norm(int dimensions, const double *values) {
  double length = 0.0;
  for (int i = 0; i < dimensions; ++i)
    length = ::hypot(length, values[i]);
  return length;
}
RELAYOUT_HD double rnorm(int dimensions, const double *values) {
  return 1.0 / norm(dimensions, values);
}
RELAYOUT_HD float normf(int dimensions, const float *values) {
  double sum = 0.0;
  for (int i = 0; i < dimensions; ++i)
    sum += double(values[i]) * values[i];
  return static_cast<float>(::sqrt(sum));
}
RELAYOUT_HD float rnormf(int dimensions, const float *values) {
  return 1.0f / normf(dimensions, values);
}

#define RELAYOUT_OF_FLOAT(name)                                                                    \
  RELAYOUT_HD float name##f(float x) { return static_cast<float>(name(static_cast<double>(x))); }  \
  RELAYOUT_HD float name(float x) { return name##f(x); }
RELAYOUT_OF_FLOAT(erfcinv)
RELAYOUT_OF_FLOAT(erfinv)
RELAYOUT_OF_FLOAT(normcdfinv)
RELAYOUT_OF_FLOAT(erfcx)
#undef RELAYOUT_OF_FLOAT
RELAYOUT_HD float cyl_bessel_i0f(float x) {
  return static_cast<float>(cyl_bessel_i0(static_cast<double>(x)));
}
RELAYOUT_HD float cyl_bessel_i1f(float x) {
  return static_cast<float>(cyl_bessel_i1(static_cast<double>(x)));
}
