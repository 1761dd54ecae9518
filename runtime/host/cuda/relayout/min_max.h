// SPDX-License-Identifier: Apache-2.0
// min and max of equal and of mixed types, as CUDA overloads them, in the execution space that
// RELAYOUT_HD names.
#pragma once

#include <math.h>

#define RELAYOUT_MIN_MAX(result, first, second)                                                    \
  RELAYOUT_HD result min(first a, second b) {                                                      \
    return static_cast<result>(b) < static_cast<result>(a) ? static_cast<result>(b)                \
                                                           : static_cast<result>(a);               \
  }                                                                                                \
  RELAYOUT_HD result max(first a, second b) {                                                      \
    return static_cast<result>(a) < static_cast<result>(b) ? static_cast<result>(b)                \
                                                           : static_cast<result>(a);               \
  }
#define RELAYOUT_INTEGER_MIN_MAX(type)                                                             \
  RELAYOUT_MIN_MAX(type, type, type)                                                               \
  RELAYOUT_MIN_MAX(unsigned type, unsigned type, unsigned type)                                    \
  RELAYOUT_MIN_MAX(unsigned type, type, unsigned type)                                             \
  RELAYOUT_MIN_MAX(unsigned type, unsigned type, type)
RELAYOUT_INTEGER_MIN_MAX(int)
RELAYOUT_INTEGER_MIN_MAX(long int)
RELAYOUT_INTEGER_MIN_MAX(long long int)
#undef RELAYOUT_INTEGER_MIN_MAX
#undef RELAYOUT_MIN_MAX
// A NaN gives way to a number.
RELAYOUT_HD float min(float a, float b) { return ::fminf(a, b); }
RELAYOUT_HD float max(float a, float b) { return ::fmaxf(a, b); }
RELAYOUT_HD double min(double a, double b) { return ::fmin(a, b); }
RELAYOUT_HD double max(double a, double b) { return ::fmax(a, b); }
RELAYOUT_HD double min(float a, double b) { return ::fmin(static_cast<double>(a), b); }
RELAYOUT_HD double max(float a, double b) { return ::fmax(static_cast<double>(a), b); }
RELAYOUT_HD double min(double a, float b) { return ::fmin(a, static_cast<double>(b)); }
RELAYOUT_HD double max(double a, float b) { return ::fmax(a, static_cast<double>(b)); }
