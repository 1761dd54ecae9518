// SPDX-License-Identifier: Apache-2.0
// Policy replay: what is known against the model's own predictions.
#pragma once

#include "relayout/analysis/replay/search/candidate.h"

#include <vector>

namespace relayout::analysis {

/// Why the times predicted for a group may be far off, kernel by kernel, so that its layout should
/// be measured.
/// \param isSizeKnown  the run to decide for is the traced one, or its size was given
/// \param isCompiled   registers are those that nvcc gave
[[nodiscard]] std::vector<LowConfidence>
lowConfidenceOf(const trace::Trace &trace, const ReplaySample &sample, const Machine &machine,
                const GroupReplay &group, bool isSizeKnown, bool isCompiled);

} // namespace relayout::analysis
