// SPDX-License-Identifier: Apache-2.0
// CUDA's types as its ABI has them, for code that stands in for CUDA calls (cuda_calls.def) and is
// built without CUDA's headers.
#pragma once

#include <cstddef>

namespace relayout::cuda_abi {

using std::size_t;
using Status = int; ///< cudaError_t or CUresult; 0 is success
using cudaStream_t = void *;
using cudaMemcpyKind = int;
struct dim3 {
  unsigned x, y, z;
};

} // namespace relayout::cuda_abi
