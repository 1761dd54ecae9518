// SPDX-License-Identifier: Apache-2.0
// What policy replay predicts, as text for a terminal and as JSON for programs.
#pragma once

#include "relayout/analysis/replay/replay.h"

#include <string>

namespace relayout::analysis {

/// Best candidates against the source, kernels before and after, choice and reason, by group.
[[nodiscard]] std::string renderReplayReport(const ReplayAnalysis &analysis);

/// The same facts, all candidates.
[[nodiscard]] std::string replayReportJson(const ReplayAnalysis &analysis);

} // namespace relayout::analysis
