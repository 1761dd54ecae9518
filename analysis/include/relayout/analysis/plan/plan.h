// SPDX-License-Identifier: Apache-2.0
// The plan: the decision per array group, the file between analysis and rewriter.
#pragma once

#include "relayout/analysis/layout/layout.h"
#include "relayout/base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace relayout::analysis {

struct Decision {
  std::string record;              ///< qualified name
  std::vector<std::string> arrays; ///< the group's declarations, as in trace::Group
  std::vector<std::string> fields; ///< field names in source order; layouts index into them
  Layout layout;
  bool keep = false;  ///< leave this group as it is
  std::string reason; ///< one sentence for the reader
  std::string doubt =
      {}; ///< why it should be measured before it is believed; empty: nothing is known
};

struct Plan {
  std::string sourceFile;
  std::string sourceDigest; ///< of the program the plan was made for; see trace::SiteTable
  std::string policy;       ///< "nakai", or "fixed" for a layout asked for by name
  std::vector<Decision> decisions;
};

[[nodiscard]] std::string toJson(const Plan &plan);

/// \error RL-P01 not a plan, or of another version; RL-P02 a layout in it is not valid
[[nodiscard]] Result<Plan> planFromJson(std::string_view json);

} // namespace relayout::analysis
