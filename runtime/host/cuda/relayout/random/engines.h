// SPDX-License-Identifier: Apache-2.0
// cuRAND's device API on the CPU executor: the states of its generators and their raw draws.
// XORWOW: Marsaglia, Xorshift RNGs, 2003. Philox4x32-10: Salmon et al., Parallel random numbers: as
// easy as 1, 2, 3, 2011. MRG32k3a: L'Ecuyer, Good parameters and implementations for combined
// multiple recursive random number generators, 1999. The states are sized as cuRAND's.
#pragma once

#include "vector_types.h"

#define RELAYOUT_HD __host__ __device__ inline

/// Normals come in pairs: the second one waits in the state for the next call.
struct curandStateXORWOW {
  unsigned int d, v[5];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

struct curandStateMRG32k3a {
  unsigned int s1[3], s2[3];
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

struct curandStatePhilox4_32_10 {
  uint4 ctr;
  uint4 output;
  uint2 key;
  unsigned int STATE;
  int boxmuller_flag;
  int boxmuller_flag_double;
  float boxmuller_extra;
  double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

namespace relayout::random {

constexpr unsigned int kWeylStep = 362437;

constexpr unsigned long long kMrgModulus1 = 4294967087;
constexpr unsigned long long kMrgModulus2 = 4294944443;
constexpr unsigned long long kMrgA12 = 1403580;
constexpr unsigned long long kMrgA13 = 810728; ///< subtracted
constexpr unsigned long long kMrgA21 = 527612;
constexpr unsigned long long kMrgA23 = 1370589; ///< subtracted

/// A state's xorshift part, 2^67 times `sequences` and then `draws` further on.
__host__ __device__ void skipXorwow(unsigned int (&v)[5], unsigned long long sequences,
                                    unsigned long long draws);

/// Steps of `count` times 2^logStride draws.
__host__ __device__ void skipMrg(unsigned int (&s1)[3], unsigned int (&s2)[3],
                                 unsigned long long count, unsigned int logStride);

template <class State> RELAYOUT_HD void forgetNormals(State *state) {
  state->boxmuller_flag = 0;
  state->boxmuller_flag_double = 0;
  state->boxmuller_extra = 0.0f;
  state->boxmuller_extra_double = 0.0;
}

RELAYOUT_HD uint4 philoxBlock(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned long long first = 0xd2511f53ull * counter.x;
    const unsigned long long second = 0xcd9e8d57ull * counter.z;
    counter = uint4{static_cast<unsigned int>(second >> 32) ^ counter.y ^ key.x,
                    static_cast<unsigned int>(second),
                    static_cast<unsigned int>(first >> 32) ^ counter.w ^ key.y,
                    static_cast<unsigned int>(first)};
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}

/// Adds to the 128-bit counter, from its lower or its upper half on.
RELAYOUT_HD void advance(uint4 &counter, unsigned long long lower, unsigned long long upper) {
  const unsigned long long low = (static_cast<unsigned long long>(counter.y) << 32 | counter.x);
  const unsigned long long newLow = low + lower;
  const unsigned long long newHigh =
      (static_cast<unsigned long long>(counter.w) << 32 | counter.z) + upper + (newLow < low);
  counter = uint4{static_cast<unsigned int>(newLow), static_cast<unsigned int>(newLow >> 32),
                  static_cast<unsigned int>(newHigh), static_cast<unsigned int>(newHigh >> 32)};
}

RELAYOUT_HD void nextPhiloxBlock(curandStatePhilox4_32_10_t *state) {
  advance(state->ctr, 1, 0);
  state->output = philoxBlock(state->ctr, state->key);
}

RELAYOUT_HD unsigned int wordOf(const uint4 &block, unsigned int index) {
  return index == 0 ? block.x : index == 1 ? block.y : index == 2 ? block.z : block.w;
}

/// One step of MRG32k3a: an integer from 1 to kMrgModulus1.
RELAYOUT_HD unsigned long long stepMrg(curandStateMRG32k3a_t *state) {
  const unsigned long long p1 =
      (kMrgA12 * state->s1[1] + kMrgA13 * (kMrgModulus1 - state->s1[0])) % kMrgModulus1;
  const unsigned long long p2 =
      (kMrgA21 * state->s2[2] + kMrgA23 * (kMrgModulus2 - state->s2[0])) % kMrgModulus2;
  state->s1[0] = state->s1[1];
  state->s1[1] = state->s1[2];
  state->s1[2] = static_cast<unsigned int>(p1);
  state->s2[0] = state->s2[1];
  state->s2[1] = state->s2[2];
  state->s2[2] = static_cast<unsigned int>(p2);
  return p1 > p2 ? p1 - p2 : p1 + kMrgModulus1 - p2;
}

} // namespace relayout::random

// XORWOW.
RELAYOUT_HD unsigned int curand(curandStateXORWOW_t *state) {
  unsigned int *const v = state->v;
  const unsigned int t = v[0] ^ (v[0] >> 2);
  v[0] = v[1];
  v[1] = v[2];
  v[2] = v[3];
  v[3] = v[4];
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
  state->d += relayout::random::kWeylStep;
  return v[4] + state->d;
}
RELAYOUT_HD void skipahead(unsigned long long draws, curandStateXORWOW_t *state) {
  relayout::random::skipXorwow(state->v, 0, draws);
  state->d += relayout::random::kWeylStep * static_cast<unsigned int>(draws);
}
RELAYOUT_HD void skipahead_sequence(unsigned long long sequences, curandStateXORWOW_t *state) {
  relayout::random::skipXorwow(state->v, sequences, 0);
}
RELAYOUT_HD void curand_init(unsigned long long seed, unsigned long long sequence,
                             unsigned long long offset, curandStateXORWOW_t *state) {
  const unsigned int low = 1099087573u * (static_cast<unsigned int>(seed) ^ 0xaad26b49u);
  const unsigned int high = 2591861531u * (static_cast<unsigned int>(seed >> 32) ^ 0xf7dcefddu);
  state->d = 6615241u + high + low;
  state->v[0] = 123456789u + low;
  state->v[1] = 362436069u ^ low;
  state->v[2] = 521288629u + high;
  state->v[3] = 88675123u ^ high;
  state->v[4] = 5783321u + low;
  relayout::random::skipXorwow(state->v, sequence, offset);
  state->d += relayout::random::kWeylStep * static_cast<unsigned int>(offset);
  relayout::random::forgetNormals(state);
}

// Philox4x32-10: `output` is the block of `ctr`, and STATE counts the words of it that are taken.
RELAYOUT_HD unsigned int curand(curandStatePhilox4_32_10_t *state) {
  const unsigned int word = relayout::random::wordOf(state->output, state->STATE++);
  if (state->STATE == 4) {
    relayout::random::nextPhiloxBlock(state);
    state->STATE = 0;
  }
  return word;
}
RELAYOUT_HD uint4 curand4(curandStatePhilox4_32_10_t *state) {
  using relayout::random::wordOf;
  const uint4 old = state->output;
  relayout::random::nextPhiloxBlock(state);
  const unsigned int taken = state->STATE;
  const auto word = [&](unsigned int index) {
    return index < 4 ? wordOf(old, index) : wordOf(state->output, index - 4);
  };
  return uint4{word(taken), word(taken + 1), word(taken + 2), word(taken + 3)};
}
RELAYOUT_HD void skipahead(unsigned long long draws, curandStatePhilox4_32_10_t *state) {
  const unsigned long long words = state->STATE + (draws & 3);
  relayout::random::advance(state->ctr, draws / 4 + words / 4, 0);
  state->STATE = static_cast<unsigned int>(words & 3);
  state->output = relayout::random::philoxBlock(state->ctr, state->key);
}
RELAYOUT_HD void skipahead_sequence(unsigned long long sequences,
                                    curandStatePhilox4_32_10_t *state) {
  relayout::random::advance(state->ctr, 0, sequences);
  state->output = relayout::random::philoxBlock(state->ctr, state->key);
}
RELAYOUT_HD void curand_init(unsigned long long seed, unsigned long long sequence,
                             unsigned long long offset, curandStatePhilox4_32_10_t *state) {
  state->ctr = uint4{0, 0, 0, 0};
  state->key = uint2{static_cast<unsigned int>(seed), static_cast<unsigned int>(seed >> 32)};
  state->STATE = 0;
  relayout::random::forgetNormals(state);
  relayout::random::advance(state->ctr, 0, sequence);
  skipahead(offset, state);
}
RELAYOUT_HD uint4 curand_Philox4x32_10(uint4 counter, uint2 key) {
  return relayout::random::philoxBlock(counter, key);
}

// MRG32k3a.
RELAYOUT_HD double curand_MRG32k3a(curandStateMRG32k3a_t *state) {
  return static_cast<double>(relayout::random::stepMrg(state));
}
RELAYOUT_HD unsigned int curand(curandStateMRG32k3a_t *state) {
  // From 1 … modulus to 32 bits.
  return static_cast<unsigned int>(curand_MRG32k3a(state) * 1.000000048662);
}
RELAYOUT_HD void skipahead(unsigned long long draws, curandStateMRG32k3a_t *state) {
  relayout::random::skipMrg(state->s1, state->s2, draws, 0);
}
RELAYOUT_HD void skipahead_subsequence(unsigned long long count, curandStateMRG32k3a_t *state) {
  relayout::random::skipMrg(state->s1, state->s2, count, 76);
}
RELAYOUT_HD void skipahead_sequence(unsigned long long count, curandStateMRG32k3a_t *state) {
  relayout::random::skipMrg(state->s1, state->s2, count, 127);
}
RELAYOUT_HD void curand_init(unsigned long long seed, unsigned long long subsequence,
                             unsigned long long offset, curandStateMRG32k3a_t *state) {
  using namespace relayout::random;
  constexpr unsigned long long kStart = 12345;
  const unsigned long long low = static_cast<unsigned int>(seed) ^ 0x55555555u;
  const unsigned long long high = static_cast<unsigned int>(seed >> 32) ^ 0xaaaaaaaau;
  for (int i = 0; i < 3; ++i) {
    const unsigned long long factor1 = seed == 0 ? 1 : i == 1 ? high : low;
    const unsigned long long factor2 = seed == 0 ? 1 : i == 1 ? low : high;
    state->s1[i] = static_cast<unsigned int>(factor1 * kStart % kMrgModulus1);
    state->s2[i] = static_cast<unsigned int>(factor2 * kStart % kMrgModulus2);
  }
  skipahead_subsequence(subsequence, state);
  skipahead(offset, state);
  forgetNormals(state);
}

#undef RELAYOUT_HD
