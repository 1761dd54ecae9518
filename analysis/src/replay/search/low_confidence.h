// SPDX-License-Identifier: Apache-2.0
// Policy replay: what the model knows that it does not know.
#pragma once

#include "relayout/analysis/replay/replay.h"

#include <string>

namespace relayout::analysis {

/// Why the times predicted for a group may be far off, kernel by kernel, so that its layout should
/// be measured; empty: nothing is known against them.
[[nodiscard]] std::string doubtOf(const ReplayAnalysis &analysis, const GroupReplay &group);

} // namespace relayout::analysis
