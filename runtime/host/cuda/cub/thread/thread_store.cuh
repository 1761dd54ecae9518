// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: stores, whose cache hints have no effect.
#pragma once

#include "../util_type.cuh"

namespace cub {

enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };

template <CacheStoreModifier kModifier = STORE_DEFAULT, class Out, class T>
__device__ void ThreadStore(Out out, T value) {
  *out = value;
}

} // namespace cub
