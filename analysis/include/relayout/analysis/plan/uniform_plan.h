// SPDX-License-Identifier: Apache-2.0
// A plan for a layout asked for by name, without a policy's judgement.
#pragma once

#include "relayout/analysis/plan/plan.h"
#include "relayout/trace/site_table.h"

#include <string>
#include <string_view>
#include <vector>

namespace relayout::analysis {

/// The names there are, for help texts and errors: "aos, aligned-aos, soa, …".
[[nodiscard]] std::string fixedLayoutNames();

/// \error RL-P04 there is no layout of that name
[[nodiscard]] Result<Layout> layoutByName(std::string_view name,
                                          const std::vector<LayoutField> &fields);

/// One decision for every array group that a kernel accesses.
/// \param name  one of fixedLayoutNames(); "aos" keeps every array's layout
/// \error RL-P04 there is no layout of that name
[[nodiscard]] Result<Plan> fixedPlan(const trace::SiteTable &sites, std::string_view name);

} // namespace relayout::analysis
