// SPDX-License-Identifier: Apache-2.0
// Policy replay: orders of elements in which the lanes of a warp would stand side by side.
#pragma once

#include "relayout/analysis/layout/element_order.h"
#include "relayout/analysis/replay/stream/sample.h"

#include <vector>

namespace relayout::analysis {

/// Orders that bring the digit to the front by which lanes differ, for the strides between lanes
/// that most accesses of the group have. What lies beyond that digit's extent stays where it is;
/// extents are distances at which warps access the array again, at which blocks follow one another,
/// or reach to the end of the array.
/// Orders whose extents the program neither writes where it allocates nor has as constants are left
/// out: they would be right for the traced run alone.
/// \returns  none where lanes stand side by side, or on whatever they gather
[[nodiscard]] std::vector<ElementOrder>
elementOrders(const trace::Trace &trace, const ReplaySample &sample, trace::Index group);

} // namespace relayout::analysis
