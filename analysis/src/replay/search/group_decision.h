// SPDX-License-Identifier: Apache-2.0
// Policy replay: whether the best layout of a group is worth a change.
#pragma once

#include "replay/search/layout_search.h"

namespace relayout::analysis {

/// Searches a layout for one group and decides on it.
/// \param assessor  knows the groups that were decided before
[[nodiscard]] Result<GroupReplay> decideGroup(const trace::Trace &trace,
                                              const SearchSamples &samples,
                                              const Assessor &assessor,
                                              const SearchOptions &options, trace::Index group);

/// Sets what every kernel does with the group's source, its best and its runner-up.
[[nodiscard]] Result<void> compareKernels(const SearchSamples &samples, const Assessor &assessor,
                                          GroupReplay &result);

} // namespace relayout::analysis
