// SPDX-License-Identifier: Apache-2.0
// What changes nothing about an expression, and what drops its value.
#include "legality/value_use.h"
#include "rules/constructs.h"

namespace relayout::rewriter {

std::optional<Step> enclosed(Climb &, const Place &here, const Parent &around) {
  if (!isa_and_nonnull<clang::ParenExpr, clang::FullExpr>(around.stmt))
    return std::nullopt;
  Place outside = here;
  outside.expression = clang::cast<clang::Expr>(around.stmt);
  return climbTo(std::move(outside));
}

std::optional<Step> discarded(Climb &climb, const Place &here, const Parent &around) {
  if (!around.stmt || clang::isa<clang::Expr, clang::ReturnStmt>(around.stmt) ||
      !isDiscarded(climb.program.index, *here.expression))
    return std::nullopt;
  return done();
}

} // namespace relayout::rewriter
