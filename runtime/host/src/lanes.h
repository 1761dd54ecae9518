// SPDX-License-Identifier: Apache-2.0
// Executor: going through the lanes of a mask.
#pragma once

#include <bit>
#include <cstdint>

namespace relayout::host {

/// Calls f(lane) for each set bit, the lowest first.
template <class F> void forEachLane(std::uint32_t lanes, F f) {
  for (std::uint32_t left = lanes; left != 0; left &= left - 1)
    f(std::countr_zero(left));
}

} // namespace relayout::host
