// SPDX-License-Identifier: Apache-2.0
// CUDA headers of the CPU executor: asynchronous copies of one thread, which are done when the call
// returns.
#pragma once
#define _CUDA_PIPELINE_PRIMITIVES_H_

#include "cuda_runtime.h"

#ifdef __CUDACC__ // of device code alone
/// \param zeros  that many bytes at the end are set to zero instead
__device__ inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                               size_t zeros = 0) {
  __builtin_memcpy(to, from, bytes - zeros);
  __builtin_memset(static_cast<char *>(to) + (bytes - zeros), 0, zeros);
}
__device__ inline void __pipeline_commit() {}
__device__ inline void __pipeline_wait_prior(size_t) {}
#endif
