// SPDX-License-Identifier: Apache-2.0
// A reference to an element as a result: `return items[i];` becomes `return items + i;`.
#include "rules/constructs.h"
#include "rules/element_edits.h"

namespace relayout::rewriter {

std::optional<Step> returnedElement(Climb &climb, const Place &here, const Parent &around) {
  if (!clang::isa_and_nonnull<clang::ReturnStmt>(around.stmt) || !climb.function ||
      !climb.function->getReturnType()->isLValueReferenceType() ||
      climb.program.targetOf(climb.function) != &climb.target)
    return std::nullopt;
  TokenEdits edits = climb.edits();
  editAddress(edits, climb, here.element, nullptr);
  return climb.done(std::move(edits));
}

} // namespace relayout::rewriter
