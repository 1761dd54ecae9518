// SPDX-License-Identifier: Apache-2.0
// cuRAND on the CPU executor: states of MTGP32, for which Philox stands in.
#include "failure.h"

#include "cuda_runtime.h"
#include "relayout/random/mtgp32.h"

#include <vector>

extern "C" {

curandStatus_t curandMakeMTGP32Constants(const mtgp32_params_fast_t[], mtgp32_kernel_params_t *) {
  return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandMakeMTGP32KernelState(curandStateMtgp32_t *states, mtgp32_params_fast_t[],
                                           mtgp32_kernel_params_t *, int count,
                                           unsigned long long seed) {
  relayout::host::warn(relayout::Code::NotOnCpuExecutor,
                       "the CPU executor lacks cuRAND's generator MTGP32: PHILOX4_32_10 stands in, "
                       "so that the numbers are not those of a GPU");
  std::vector<curandStateMtgp32_t> made(static_cast<std::size_t>(count < 0 ? 0 : count));
  for (std::size_t i = 0; i < made.size(); ++i) {
    made[i].pIdx = static_cast<int>(i);
    made[i].seed = seed;
  }
  return cudaMemcpy(states, made.data(), made.size() * sizeof(curandStateMtgp32_t),
                    cudaMemcpyHostToDevice) == cudaSuccess
             ? CURAND_STATUS_SUCCESS
             : CURAND_STATUS_INITIALIZATION_FAILED;
}

} // extern "C"
