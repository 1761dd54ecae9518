// SPDX-License-Identifier: Apache-2.0
// CUB on the CPU executor: quotients.
#pragma once

#include "util_macro.cuh"

namespace cub {

template <class Number, class Divisor>
__host__ __device__ constexpr Number DivideAndRoundUp(Number n, Divisor d) {
  return static_cast<Number>(n / d + (n % d != 0 ? 1 : 0));
}

} // namespace cub
