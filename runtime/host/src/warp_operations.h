// SPDX-License-Identifier: Apache-2.0
// Executor: what shuffles, votes, matches and reductions give each lane.
#pragma once

#include "device_functions.h"

#include <cstdint>

namespace relayout::host {

/// What one lane brings to a warp operation, and what it takes home.
struct LaneExchange {
  std::uint64_t value = 0;
  std::uint32_t source = 0; ///< of a shuffle
  std::uint64_t result = 0;
};

/// \param lanes  those that take part; exchanges of the others are not looked at
void perform(detail::WarpOperation operation, std::uint32_t lanes, LaneExchange *(&exchanges)[32]);

const char *operationName(detail::WarpOperation operation);

} // namespace relayout::host
