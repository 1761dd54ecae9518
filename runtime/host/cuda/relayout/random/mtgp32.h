// SPDX-License-Identifier: Apache-2.0
// cuRAND's device API on the CPU executor: MTGP32, for which Philox stands in. cuRAND's tables of
// parameters are not here, so that the numbers are others; what a block's threads share is as
// there: a state serves one block, and each of its threads has numbers of its own.
#pragma once

#include "curand.h"
#include "relayout/random/distributions.h"

#define RELAYOUT_HD __host__ __device__ inline

#define MTGP32_STATE_SIZE 1024
#define CURAND_NUM_MTGP32_PARAMS 200

/// What cuRAND makes its generators of: only the names are of use here.
struct mtgp32_params_fast {
  int mexp;
};
typedef struct mtgp32_params_fast mtgp32_params_fast_t;
struct mtgp32_kernel_params {
  int mexp;
};
typedef struct mtgp32_kernel_params mtgp32_kernel_params_t;

struct curandStateMtgp32 {
  unsigned int s[MTGP32_STATE_SIZE]; ///< numbers that each thread has drawn
  int offset;
  int pIdx;
  unsigned long long seed; ///< in place of a pointer to the parameters
};
typedef struct curandStateMtgp32 curandStateMtgp32_t;

extern "C" {
curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t params[],
                                         mtgp32_kernel_params_t *kernelParams);
curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *states,
                                           mtgp32_params_fast_t params[],
                                           mtgp32_kernel_params_t *kernelParams, int count,
                                           unsigned long long seed);
}

namespace relayout::random {

/// The thread's next number.
RELAYOUT_HD unsigned int nextOf(curandStateMtgp32_t *state, unsigned int thread) {
  const uint4 counter{state->s[thread % MTGP32_STATE_SIZE]++, thread,
                      static_cast<unsigned int>(state->pIdx), 0};
  return philoxBlock(counter, uint2{static_cast<unsigned int>(state->seed),
                                    static_cast<unsigned int>(state->seed >> 32)})
      .x;
}

} // namespace relayout::random

RELAYOUT_HD unsigned int curand(curandStateMtgp32_t *state) {
  return relayout::random::nextOf(state, threadIdx.x +
                                             blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z));
}
RELAYOUT_HD unsigned int curand_mtgp32_specific(curandStateMtgp32_t *state, unsigned char index,
                                                unsigned char) {
  return relayout::random::nextOf(state, index);
}
RELAYOUT_HD float curand_mtgp32_single(curandStateMtgp32_t *state) {
  return relayout::random::uniform(curand(state));
}
RELAYOUT_HD float curand_mtgp32_single_specific(curandStateMtgp32_t *state, unsigned char index,
                                                unsigned char count) {
  return relayout::random::uniform(curand_mtgp32_specific(state, index, count));
}

RELAYOUT_HD float curand_uniform(curandStateMtgp32_t *state) {
  return relayout::random::uniform(curand(state));
}
RELAYOUT_HD double curand_uniform_double(curandStateMtgp32_t *state) {
  return relayout::random::uniformDouble(curand(state));
}
RELAYOUT_HD float curand_normal(curandStateMtgp32_t *state) {
  return ::normcdfinvf(curand_uniform(state));
}
RELAYOUT_HD double curand_normal_double(curandStateMtgp32_t *state) {
  return ::normcdfinv(curand_uniform_double(state));
}
RELAYOUT_HD float curand_log_normal(curandStateMtgp32_t *state, float mean, float deviation) {
  return ::expf(mean + deviation * curand_normal(state));
}
RELAYOUT_HD double curand_log_normal_double(curandStateMtgp32_t *state, double mean,
                                            double deviation) {
  return ::exp(mean + deviation * curand_normal_double(state));
}
RELAYOUT_HD unsigned int curand_poisson(curandStateMtgp32_t *state, double mean) {
  return relayout::random::poisson(state, mean);
}

#undef RELAYOUT_HD
