// SPDX-License-Identifier: Apache-2.0
// Array members that the program uses whole: a plan that explodes them is refused (RL-R14), so that
// another layout has to be decided on.
#pragma once

#include "relayout/analysis/plan/plan.h"
#include "relayout/base/result.h"
#include "relayout/instrument/parsed_program.h"
#include "relayout/rewriter/rewrite.h"
#include "relayout/trace/index.h"

#include <set>

namespace relayout::tool {

/// \param rewrite  what rewritePartially() made of the plan
/// \returns  the groups whose decision is refused for that reason alone
/// \error as rewrite()
[[nodiscard]] Result<std::set<trace::Index>>
explodedInVain(const instrument::ParsedProgram &program, const analysis::Plan &plan,
               const rewriter::Rewrite &rewrite);

} // namespace relayout::tool
