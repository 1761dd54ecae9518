// SPDX-License-Identifier: Apache-2.0
// Policy replay: orders of elements in which the lanes of a warp would stand side by side.
#pragma once

#include "relayout/analysis/layout/element_order.h"
#include "relayout/analysis/replay/stream/sample.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// An order to try.
struct TriedOrder {
  ElementOrder order;
  /// Of memory that an SM accesses within a short time, on average, at the size of the real run.
  std::uint64_t pages = 0;
  std::size_t coincidences = 0; ///< extents that the traced run may have by chance
};

/// Orders that bring the digit to the front by which lanes differ, for the strides between lanes
/// that most accesses of the group have. Other digits follow from distances at which warps access
/// the array again or at which blocks follow one another, and, where those are none, from extents
/// that the program names. Of more than three digits, those that take the fewest values within a
/// short time are the slowest.
/// Orders whose extents the program neither writes where it allocates nor has as constants are left
/// out: they would be right for the traced run alone.
/// \returns  none where lanes stand side by side, or on whatever they gather
[[nodiscard]] std::vector<TriedOrder> elementOrders(const trace::Trace &trace,
                                                    const ReplaySample &sample, trace::Index group);

/// True where enough of the group's accesses have a stride between lanes to try orders for it.
[[nodiscard]] bool lanesStandApart(const ReplaySample &sample, trace::Index group);

} // namespace relayout::analysis
