// SPDX-License-Identifier: Apache-2.0
// The plan that policy nakai's decisions make, with a sentence on each for the reader.
#pragma once

#include "relayout/analysis/nakai/nakai.h"

#include <string>

namespace relayout::analysis {

[[nodiscard]] Plan planOf(const NakaiAnalysis &analysis);

/// Why a group has the layout it has, in one sentence.
[[nodiscard]] std::string reasonOf(const GroupAnalysis &group);

} // namespace relayout::analysis
