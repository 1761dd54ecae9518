// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: loads, whose cache hints have no effect.
#pragma once

#include "../util_type.cuh"

namespace cub {

enum CacheLoadModifier {
  LOAD_DEFAULT,
  LOAD_CA,
  LOAD_CG,
  LOAD_CS,
  LOAD_CV,
  LOAD_LDG,
  LOAD_VOLATILE
};

template <CacheLoadModifier kModifier = LOAD_DEFAULT, class In>
__device__ typename std::iterator_traits<In>::value_type ThreadLoad(In in) {
  return *in;
}

} // namespace cub
