// SPDX-License-Identifier: Apache-2.0
// The plan: the decision per array group, the file between analysis and rewriter.
#pragma once

#include "relayout/analysis/layout/layout.h"
#include "relayout/base/result.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relayout {
class JsonValue;
}

namespace relayout::analysis {

/// Why a predicted time may be far off.
enum class LowConfidenceReason {
  UnsampledAccesses,  ///< value: the part of the kernel's accesses of which no address was recorded
  FewWarps,           ///< value: warps an SM, so few that the order of instructions counts
  UnknownWarps,       ///< value: the factor by which the traced run was extrapolated
  EstimatedRegisters, ///< value: of a thread, so many that the warps an SM depend on them
  EstimatedLoop,      ///< value: warps an SM, which wait for each other in a loop over all elements
  UnknownRows,        ///< value: as for UnknownWarps, of a layout that orders the elements anew
};

/// "few-warps", as in plans and reports.
[[nodiscard]] const char *lowConfidenceName(LowConfidenceReason reason);

/// What speaks against a predicted time; the layout should be measured before it is relied on.
struct LowConfidence {
  LowConfidenceReason reason = LowConfidenceReason::UnsampledAccesses;
  std::string kernel;
  double value = 0;

  bool operator==(const LowConfidence &) const = default;
};

struct Decision {
  std::string record;              ///< qualified name
  std::vector<std::string> arrays; ///< the group's declarations, as in trace::Group
  std::vector<std::string> fields; ///< field names in source order; layouts index into them
  Layout layout;
  bool keep = false;                             ///< this group keeps its layout
  std::string reason;                            ///< one sentence for the reader
  std::vector<LowConfidence> lowConfidence = {}; ///< nothing is known against it where empty
};

struct Plan {
  std::string sourceFile;
  std::string sourceDigest; ///< of the program the plan was made for; see trace::SiteTable
  std::string policy;       ///< "nakai", or "fixed" for a layout asked for by name
  std::vector<Decision> decisions;
  /// Kernels that get `__launch_bounds__(1024, 1)`, by name; see kernelsToBound().
  std::vector<std::string> boundedKernels = {};
};

/// The layout that a plan gives each group of a table, by the group's index; none where the group
/// keeps its own. Plans need not decide about all groups: one of a layout for all has no decision
/// about those that no kernel reaches.
[[nodiscard]] std::vector<std::optional<Layout>> layoutsByGroup(const Plan &plan,
                                                                const trace::SiteTable &sites);

[[nodiscard]] std::string toJson(const Plan &plan);

/// As plans and reports have it, and back.
/// \throws JsonMismatch where it is not such JSON
[[nodiscard]] nlohmann::ordered_json toJson(const std::vector<LowConfidence> &reasons);
[[nodiscard]] std::vector<LowConfidence> lowConfidenceFrom(const JsonValue &json);

/// \error RL-P01 not a plan, or of another version; RL-P02 a layout in it is not valid
[[nodiscard]] Result<Plan> planFromJson(std::string_view json);

} // namespace relayout::analysis
