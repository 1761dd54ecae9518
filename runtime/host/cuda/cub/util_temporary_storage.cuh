// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: several allocations in one temporary storage, for programs that follow
// the protocol of CUB's algorithms.
#pragma once

#include "util_type.cuh"

namespace cub {

/// Without storage, says how much is needed; with it, says where each allocation begins.
template <int kAllocations>
cudaError_t AliasTemporaries(void *storage, size_t &bytes, void *(&allocations)[kAllocations],
                             const size_t (&sizes)[kAllocations]) {
  constexpr size_t kAlignment = 256;
  size_t offsets[kAllocations], needed = 0;
  for (int i = 0; i < kAllocations; ++i) {
    offsets[i] = needed;
    needed += (sizes[i] + kAlignment - 1) / kAlignment * kAlignment;
  }
  needed += kAlignment - 1;
  if (storage == nullptr) {
    bytes = needed;
    return cudaSuccess;
  }
  if (bytes < needed)
    return cudaErrorInvalidValue;
  const auto first = (reinterpret_cast<size_t>(storage) + kAlignment - 1) / kAlignment * kAlignment;
  for (int i = 0; i < kAllocations; ++i)
    allocations[i] = reinterpret_cast<void *>(first + offsets[i]);
  return cudaSuccess;
}

} // namespace cub
