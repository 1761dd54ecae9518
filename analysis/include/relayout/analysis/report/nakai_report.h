// SPDX-License-Identifier: Apache-2.0
// What the analysis found, as text for a terminal and as JSON for programs.
#pragma once

#include "relayout/analysis/nakai/nakai.h"

#include <cstddef>
#include <string>

namespace relayout::analysis {

struct ReportOptions {
  std::size_t maxRows = 20; ///< rows of the site table of one group; 0: all
};

/// Table of sites, access tree before and after merging, sum of weights, choice and reason.
[[nodiscard]] std::string renderReport(const NakaiAnalysis &analysis,
                                       const ReportOptions &options = {});

/// The same facts, all rows.
[[nodiscard]] std::string reportJson(const NakaiAnalysis &analysis);

} // namespace relayout::analysis
