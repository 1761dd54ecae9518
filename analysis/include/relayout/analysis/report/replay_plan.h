// SPDX-License-Identifier: Apache-2.0
// The plan that policy replay's decisions make, with a sentence on each for the reader.
#pragma once

#include "relayout/analysis/replay/replay.h"

#include <string>

namespace relayout::analysis {

[[nodiscard]] Plan planOf(const ReplayAnalysis &analysis);

/// Why a group has the layout it has, in one sentence.
[[nodiscard]] std::string reasonOf(const ReplayAnalysis &analysis, const GroupReplay &group);

/// "90 % of the accesses of 'stream' were not sampled".
[[nodiscard]] std::string describe(const LowConfidence &reason);

/// All of them, "; " between two.
[[nodiscard]] std::string describe(const std::vector<LowConfidence> &reasons);

} // namespace relayout::analysis
