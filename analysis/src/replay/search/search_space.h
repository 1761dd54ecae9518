// SPDX-License-Identifier: Apache-2.0
// Policy replay: what a group's accesses say of the layouts worth trying.
#pragma once

#include "relayout/analysis/replay/stream/sample.h"
#include "replay/search/candidates.h"

namespace relayout::analysis {

/// Sets of fields used together; tiles: 32, 64, and, of a run that is not extrapolated, the
/// program's own extents; and orders of elements. Of arrays in shared memory the first alone.
[[nodiscard]] SearchSpace searchSpace(const trace::Trace &trace, const ReplaySample &sample,
                                      trace::Index group, const std::vector<LayoutField> &fields);

} // namespace relayout::analysis
