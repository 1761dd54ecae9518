// SPDX-License-Identifier: Apache-2.0
// cuRAND's device API on the CPU executor: distributions over the raw draws. Uniforms are exact.
// Where nvcc contracts a product and a sum, so does this.
#pragma once

#include "device_intrinsics.h"
#include "math_functions.h"
#include "relayout/random/engines.h"

#define RELAYOUT_HD __host__ __device__ inline

namespace relayout::random {

constexpr float kTwoPi = 6.2831855f;
/// What boxmuller_flag says of the value that waits.
constexpr int kWaitingNormal = 1;
constexpr int kWaitingLogNormal = 2;

/// In (0, 1], as cuRAND maps 32 bits.
RELAYOUT_HD float uniform(unsigned int bits) {
  return static_cast<float>(bits) * 0x1p-32f + 0x1p-33f;
}
RELAYOUT_HD double uniformDouble(unsigned int bits) { return bits * 0x1p-32 + 0x1p-32; }
/// From 53 bits of two draws.
RELAYOUT_HD double uniformDouble(unsigned int low, unsigned int high) {
  const unsigned long long bits = low ^ static_cast<unsigned long long>(high) << 21;
  return static_cast<double>(bits) * 0x1p-53 + 0x1p-54;
}

/// Box and Muller's pair of normals.
/// \param radius  uniform in (0, 1]
/// \param angle   uniform in (0, 2 pi]
RELAYOUT_HD float2 normalPair(float radius, float angle) {
  const float length = ::sqrtf(-2.0f * ::logf(radius));
  using namespace relayout::host::detail;
  return float2{unitSine(angle) * length, unitCosine(angle) * length};
}
/// \param turns  twice the share of a full turn
RELAYOUT_HD double2 normalPairDouble(double radius, double turns) {
  const double length = ::sqrt(-2.0 * ::log(radius));
  double sine, cosine;
  ::sincospi(turns, &sine, &cosine);
  return double2{sine * length, cosine * length};
}
RELAYOUT_HD float2 normalPair(unsigned int radius, unsigned int angle) {
  constexpr float kStep = 0x1p-32f * kTwoPi;
  return normalPair(uniform(radius), ::fmaf(static_cast<float>(angle), kStep, kStep / 2));
}
RELAYOUT_HD double2 normalPairDouble(unsigned int r0, unsigned int r1, unsigned int a0,
                                     unsigned int a1) {
  return normalPairDouble(uniformDouble(r0, r1), 2 * uniformDouble(a0, a1));
}

// The next pair of each generator.
template <class State> RELAYOUT_HD float2 nextPair(State *state) {
  const unsigned int radius = curand(state);
  return normalPair(radius, curand(state));
}
RELAYOUT_HD float2 nextPair(curandStateMRG32k3a_t *state) {
  const auto draw = [&] {
    return static_cast<float>(curand_MRG32k3a(state) * 0x1.000000d10000bp-32);
  };
  const float radius = draw();
  return normalPair(radius, draw() * kTwoPi);
}
RELAYOUT_HD double2 nextPairDouble(curandStateXORWOW_t *state) {
  const unsigned int r0 = curand(state), r1 = curand(state), a0 = curand(state);
  return normalPairDouble(r0, r1, a0, curand(state));
}
RELAYOUT_HD double2 nextPairDouble(curandStatePhilox4_32_10_t *state) {
  const uint4 bits = curand4(state);
  return normalPairDouble(bits.x, bits.y, bits.z, bits.w);
}
RELAYOUT_HD double2 nextPairDouble(curandStateMRG32k3a_t *state) {
  const auto draw = [&] { return curand_MRG32k3a(state) * 0x1.000000d10000bp-32; };
  const double radius = draw();
  return normalPairDouble(radius, draw() * 2.0);
}

/// Gives the waiting value if it is of this kind, else makes a pair and lets its second wait.
template <class Value, class Pair>
RELAYOUT_HD Value oneOfPair(int &flag, Value &waiting, int kind, Pair nextOfPair) {
  if (flag == kind) {
    flag = 0;
    return waiting;
  }
  const auto pair = nextOfPair();
  waiting = pair.y;
  flag = kind;
  return pair.x;
}

RELAYOUT_HD float2 logNormal(float2 normal, float mean, float deviation) {
  return float2{::expf(::fmaf(deviation, normal.x, mean)),
                ::expf(::fmaf(deviation, normal.y, mean))};
}
RELAYOUT_HD double2 logNormal(double2 normal, double mean, double deviation) {
  return double2{::exp(::fma(deviation, normal.x, mean)), ::exp(::fma(deviation, normal.y, mean))};
}

} // namespace relayout::random

// Uniform.
RELAYOUT_HD float curand_uniform(curandStateXORWOW_t *state) {
  return relayout::random::uniform(curand(state));
}
RELAYOUT_HD float curand_uniform(curandStatePhilox4_32_10_t *state) {
  return relayout::random::uniform(curand(state));
}
RELAYOUT_HD float curand_uniform(curandStateMRG32k3a_t *state) {
  return static_cast<float>(curand_MRG32k3a(state) * 0x1.000000d10000bp-32);
}
RELAYOUT_HD double curand_uniform_double(curandStateXORWOW_t *state) {
  const unsigned int low = curand(state);
  return relayout::random::uniformDouble(low, curand(state));
}
RELAYOUT_HD double curand_uniform_double(curandStatePhilox4_32_10_t *state) {
  return relayout::random::uniformDouble(curand(state));
}
RELAYOUT_HD double curand_uniform_double(curandStateMRG32k3a_t *state) {
  return curand_MRG32k3a(state) * 0x1.000000d10000bp-32;
}
RELAYOUT_HD float4 curand_uniform4(curandStatePhilox4_32_10_t *state) {
  using relayout::random::uniform;
  const uint4 bits = curand4(state);
  return float4{uniform(bits.x), uniform(bits.y), uniform(bits.z), uniform(bits.w)};
}
RELAYOUT_HD double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state) {
  using relayout::random::uniformDouble;
  const uint4 bits = curand4(state);
  return double2{uniformDouble(bits.x, bits.y), uniformDouble(bits.z, bits.w)};
}
RELAYOUT_HD double4 curand_uniform4_double(curandStatePhilox4_32_10_t *state) {
  const double2 first = curand_uniform2_double(state);
  const double2 second = curand_uniform2_double(state);
  return double4{first.x, first.y, second.x, second.y};
}

// Normal and log-normal, one or two at a time, of every generator.
#define RELAYOUT_NORMALS(State)                                                                    \
  RELAYOUT_HD float2 curand_normal2(State *state) { return relayout::random::nextPair(state); }    \
  RELAYOUT_HD double2 curand_normal2_double(State *state) {                                        \
    return relayout::random::nextPairDouble(state);                                                \
  }                                                                                                \
  RELAYOUT_HD float curand_normal(State *state) {                                                  \
    return relayout::random::oneOfPair(state->boxmuller_flag, state->boxmuller_extra,              \
                                       relayout::random::kWaitingNormal,                           \
                                       [&] { return curand_normal2(state); });                     \
  }                                                                                                \
  RELAYOUT_HD double curand_normal_double(State *state) {                                          \
    return relayout::random::oneOfPair(                                                            \
        state->boxmuller_flag_double, state->boxmuller_extra_double,                               \
        relayout::random::kWaitingNormal, [&] { return curand_normal2_double(state); });           \
  }                                                                                                \
  RELAYOUT_HD float2 curand_log_normal2(State *state, float mean, float deviation) {               \
    return relayout::random::logNormal(curand_normal2(state), mean, deviation);                    \
  }                                                                                                \
  RELAYOUT_HD double2 curand_log_normal2_double(State *state, double mean, double deviation) {     \
    return relayout::random::logNormal(curand_normal2_double(state), mean, deviation);             \
  }                                                                                                \
  RELAYOUT_HD float curand_log_normal(State *state, float mean, float deviation) {                 \
    return relayout::random::oneOfPair(                                                            \
        state->boxmuller_flag, state->boxmuller_extra, relayout::random::kWaitingLogNormal,        \
        [&] { return curand_log_normal2(state, mean, deviation); });                               \
  }                                                                                                \
  RELAYOUT_HD double curand_log_normal_double(State *state, double mean, double deviation) {       \
    return relayout::random::oneOfPair(                                                            \
        state->boxmuller_flag_double, state->boxmuller_extra_double,                               \
        relayout::random::kWaitingLogNormal,                                                       \
        [&] { return curand_log_normal2_double(state, mean, deviation); });                        \
  }
RELAYOUT_NORMALS(curandStateXORWOW_t)
RELAYOUT_NORMALS(curandStatePhilox4_32_10_t)
RELAYOUT_NORMALS(curandStateMRG32k3a_t)
#undef RELAYOUT_NORMALS

// Four at a time, of Philox.
RELAYOUT_HD float4 curand_normal4(curandStatePhilox4_32_10_t *state) {
  const uint4 bits = curand4(state);
  const float2 first = relayout::random::normalPair(bits.x, bits.y);
  const float2 second = relayout::random::normalPair(bits.z, bits.w);
  return float4{first.x, first.y, second.x, second.y};
}
RELAYOUT_HD double4 curand_normal4_double(curandStatePhilox4_32_10_t *state) {
  const double2 first = curand_normal2_double(state);
  const double2 second = curand_normal2_double(state);
  return double4{first.x, first.y, second.x, second.y};
}
RELAYOUT_HD float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean,
                                      float deviation) {
  const float4 normal = curand_normal4(state);
  const float2 first = relayout::random::logNormal(float2{normal.x, normal.y}, mean, deviation);
  const float2 second = relayout::random::logNormal(float2{normal.z, normal.w}, mean, deviation);
  return float4{first.x, first.y, second.x, second.y};
}
RELAYOUT_HD double4 curand_log_normal4_double(curandStatePhilox4_32_10_t *state, double mean,
                                              double deviation) {
  const double2 first = curand_log_normal2_double(state, mean, deviation);
  const double2 second = curand_log_normal2_double(state, mean, deviation);
  return double4{first.x, first.y, second.x, second.y};
}

// Poisson.
namespace relayout::random {

constexpr double kSmallMean = 64;
constexpr double kLargeMean = 4000;

/// Knuth's product of uniforms, as cuRAND does it for small means.
template <class State> RELAYOUT_HD unsigned int poissonByProduct(State *state, float mean) {
  unsigned int count = 0;
  float product = ::expf(mean) * curand_uniform(state);
  while (product > 1.0f) {
    product *= curand_uniform(state);
    ++count;
  }
  return count;
}

RELAYOUT_HD unsigned int poissonOfNormal(double normal, double mean) {
  return static_cast<unsigned int>(::fma(::sqrt(mean), normal, mean) + 0.5);
}

/// Hormann's transformed rejection (PTRS, 1993). cuRAND rejects from another hat here, so the
/// values are another sample of the same distribution.
template <class State> RELAYOUT_HD unsigned int poissonByRejection(State *state, double mean) {
  const double logMean = ::log(mean);
  const double b = 0.931 + 2.53 * ::sqrt(mean);
  const double a = -0.059 + 0.02483 * b;
  const double inverseAlpha = 1.1239 + 1.1328 / (b - 3.4);
  const double squeeze = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = curand_uniform_double(state) - 0.5;
    const double v = curand_uniform_double(state);
    const double distance = 0.5 - ::fabs(u);
    const double k = ::floor((2 * a / distance + b) * u + mean + 0.43);
    if (distance >= 0.07 && v <= squeeze)
      return static_cast<unsigned int>(k);
    if (k < 0 || (distance < 0.013 && v > distance))
      continue;
    if (::log(v * inverseAlpha / (a / (distance * distance) + b)) <=
        k * logMean - mean - ::lgamma(k + 1))
      return static_cast<unsigned int>(k);
  }
}

template <class State> RELAYOUT_HD unsigned int poisson(State *state, double mean) {
  if (mean < kSmallMean)
    return poissonByProduct(state, static_cast<float>(mean));
  if (mean > kLargeMean)
    return poissonOfNormal(curand_normal_double(state), mean);
  return poissonByRejection(state, mean);
}

} // namespace relayout::random

RELAYOUT_HD unsigned int curand_poisson(curandStateXORWOW_t *state, double mean) {
  return relayout::random::poisson(state, mean);
}
RELAYOUT_HD unsigned int curand_poisson(curandStatePhilox4_32_10_t *state, double mean) {
  return relayout::random::poisson(state, mean);
}
RELAYOUT_HD unsigned int curand_poisson(curandStateMRG32k3a_t *state, double mean) {
  return relayout::random::poisson(state, mean);
}
RELAYOUT_HD uint4 curand_poisson4(curandStatePhilox4_32_10_t *state, double mean) {
  using namespace relayout::random;
  if (mean > kLargeMean) {
    const double4 normal = curand_normal4_double(state);
    return uint4{poissonOfNormal(normal.x, mean), poissonOfNormal(normal.y, mean),
                 poissonOfNormal(normal.z, mean), poissonOfNormal(normal.w, mean)};
  }
  const unsigned int first = poisson(state, mean), second = poisson(state, mean),
                     third = poisson(state, mean);
  return uint4{first, second, third, poisson(state, mean)};
}

#undef RELAYOUT_HD
