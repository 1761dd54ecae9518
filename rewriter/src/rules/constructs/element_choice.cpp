// SPDX-License-Identifier: Apache-2.0
// A choice between elements: `(c ? p[j] : p[k]).x` becomes `(c ? p + j : p + k).x()`.
#include "rules/constructs.h"
#include "rules/element_edits.h"

namespace relayout::rewriter {

std::optional<Step> chosenElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *choice = clang::dyn_cast_or_null<clang::ConditionalOperator>(around.stmt);
  if (!choice || choice->getCond() == here.expression || !choice->isGLValue() ||
      !isElement(climb.program, choice->getTrueExpr(), climb.target) ||
      !isElement(climb.program, choice->getFalseExpr(), climb.target))
    return std::nullopt;
  TokenEdits edits = climb.edits();
  editAddress(edits, climb, here.element, nullptr);
  return climb.climbTo(
      elementAt(Element::Form::Choice, choice, choice, choice->getType().isConstQualified()),
      std::move(edits));
}

} // namespace relayout::rewriter
