// SPDX-License-Identifier: Apache-2.0
// Policy replay: plain arrays of one kernel that gain by another order of elements only together.
#pragma once

#include "replay/search/layout_search.h"

#include <vector>

namespace relayout::analysis {

/// Where a kernel walks several arrays alike, one of them in another order saves a part of the
/// traffic that is within the model's error, and all of them save nearly all. Tries the orders that
/// were decided with the best order of each group that keeps its layout, against the source.
/// \param decided  every group one by one; those that change are updated
[[nodiscard]] Result<void> decideTogether(const SearchSamples &samples, Assessor &assessor,
                                          std::vector<GroupReplay> &decided);

} // namespace relayout::analysis
