// SPDX-License-Identifier: Apache-2.0
// Declares the rules that rules.def lists, one a construct.
#pragma once

#include "rules/climb.h"

namespace relayout::rewriter {

#define RULE(reached, rule)                                                                        \
  std::optional<Step> rule(Climb &climb, const Place &here, const Parent &around);
#include "rules/rules.def"
#undef RULE

/// The end of every list: refuses what no rule knows.
[[nodiscard]] Step unknownUse(Climb &climb, const Place &here, const Parent &around);

} // namespace relayout::rewriter
