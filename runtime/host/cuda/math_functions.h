// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: math functions that CUDA has beside those of C++.
#pragma once
#define __MATH_FUNCTIONS_H__

#include "host_defines.h"

#include <math.h>

#define RELAYOUT_HD __host__ __device__ inline

RELAYOUT_HD float rsqrtf(float x) { return 1.0f / ::sqrtf(x); }
RELAYOUT_HD double rsqrt(double x) { return 1.0 / ::sqrt(x); }
RELAYOUT_HD float rsqrt(float x) { return rsqrtf(x); }
RELAYOUT_HD float rcbrtf(float x) { return 1.0f / ::cbrtf(x); }
RELAYOUT_HD double rcbrt(double x) { return 1.0 / ::cbrt(x); }
RELAYOUT_HD float rcbrt(float x) { return rcbrtf(x); }
RELAYOUT_HD float fdividef(float x, float y) { return x / y; }

// Exact at the multiples of one half, as CUDA's are: reduced first, to at most a quarter of a half
// turn, and pi is multiplied in two parts.
namespace relayout::host::detail {
/// x * pi, and what rounding took from it.
RELAYOUT_HD double timesPi(double x, double *rest) {
  constexpr double kPi = 3.141592653589793116, kPiRest = 1.2246467991473532e-16;
  const double product = kPi * x;
  *rest = ::fma(kPi, x, -product) + kPiRest * x;
  return product;
}
RELAYOUT_HD double sineOfPi(double x) {
  double rest;
  const double angle = timesPi(x, &rest);
  return ::sin(angle) + rest * ::cos(angle);
}
RELAYOUT_HD double cosineOfPi(double x) {
  double rest;
  const double angle = timesPi(x, &rest);
  return ::cos(angle) - rest * ::sin(angle);
}
} // namespace relayout::host::detail
RELAYOUT_HD double sinpi(double x) {
  using namespace relayout::host::detail;
  const double r = ::remainder(x, 2.0);
  const double size = ::fabs(r);
  const double folded = size > 0.5 ? 1.0 - size : size;
  const double sine = folded > 0.25 ? cosineOfPi(0.5 - folded) : sineOfPi(folded);
  return ::copysign(sine, r);
}
RELAYOUT_HD double cospi(double x) {
  using namespace relayout::host::detail;
  const double r = ::fabs(::remainder(x, 2.0));
  const double folded = r > 0.5 ? 1.0 - r : r;
  const double cosine = folded > 0.25 ? sineOfPi(0.5 - folded) : cosineOfPi(folded);
  return r > 0.5 ? -cosine : cosine;
}
RELAYOUT_HD float sinpif(float x) { return static_cast<float>(sinpi(static_cast<double>(x))); }
RELAYOUT_HD float cospif(float x) { return static_cast<float>(cospi(static_cast<double>(x))); }
RELAYOUT_HD float sinpi(float x) { return sinpif(x); }
RELAYOUT_HD float cospi(float x) { return cospif(x); }
RELAYOUT_HD void sincospi(double x, double *sine, double *cosine) {
  *sine = sinpi(x);
  *cosine = cospi(x);
}
RELAYOUT_HD void sincospif(float x, float *sine, float *cosine) {
  *sine = sinpif(x);
  *cosine = cospif(x);
}
#ifndef _GNU_SOURCE
RELAYOUT_HD void sincos(double x, double *sine, double *cosine) {
  *sine = ::sin(x);
  *cosine = ::cos(x);
}
RELAYOUT_HD void sincosf(float x, float *sine, float *cosine) {
  *sine = ::sinf(x);
  *cosine = ::cosf(x);
}
RELAYOUT_HD double exp10(double x) { return ::pow(10.0, x); }
RELAYOUT_HD float exp10f(float x) { return ::powf(10.0f, x); }
#endif
RELAYOUT_HD void sincos(float x, float *sine, float *cosine) { ::sincosf(x, sine, cosine); }

RELAYOUT_HD double normcdf(double x) { return 0.5 * ::erfc(-x * 0.70710678118654752440); }
RELAYOUT_HD float normcdff(float x) { return static_cast<float>(normcdf(static_cast<double>(x))); }
RELAYOUT_HD float normcdf(float x) { return normcdff(x); }

// Norms: the float ones are summed in double, so they neither overflow nor lose bits.
RELAYOUT_HD double norm3d(double a, double b, double c) { return ::hypot(::hypot(a, b), c); }
RELAYOUT_HD double norm4d(double a, double b, double c, double d) {
  return ::hypot(::hypot(a, b), ::hypot(c, d));
}
RELAYOUT_HD float norm3df(float a, float b, float c) {
  const double x = a, y = b, z = c;
  return static_cast<float>(::sqrt(x * x + y * y + z * z));
}
RELAYOUT_HD float norm4df(float a, float b, float c, float d) {
  const double x = a, y = b, z = c, w = d;
  return static_cast<float>(::sqrt(x * x + y * y + z * z + w * w));
}
RELAYOUT_HD double rhypot(double a, double b) { return 1.0 / ::hypot(a, b); }
RELAYOUT_HD float rhypotf(float a, float b) { return 1.0f / ::hypotf(a, b); }
RELAYOUT_HD double rnorm3d(double a, double b, double c) { return 1.0 / norm3d(a, b, c); }
RELAYOUT_HD double rnorm4d(double a, double b, double c, double d) {
  return 1.0 / norm4d(a, b, c, d);
}
RELAYOUT_HD float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }
RELAYOUT_HD float rnorm4df(float a, float b, float c, float d) {
  return 1.0f / norm4df(a, b, c, d);
}

#include "special_functions.h"

#include "relayout/min_max.h"

RELAYOUT_HD unsigned int umin(unsigned int a, unsigned int b) { return min(a, b); }
RELAYOUT_HD unsigned int umax(unsigned int a, unsigned int b) { return max(a, b); }
RELAYOUT_HD long long llmin(long long a, long long b) { return min(a, b); }
RELAYOUT_HD long long llmax(long long a, long long b) { return max(a, b); }
RELAYOUT_HD unsigned long long ullmin(unsigned long long a, unsigned long long b) {
  return min(a, b);
}
RELAYOUT_HD unsigned long long ullmax(unsigned long long a, unsigned long long b) {
  return max(a, b);
}

#undef RELAYOUT_HD
