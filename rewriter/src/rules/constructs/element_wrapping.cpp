// SPDX-License-Identifier: Apache-2.0
// What stands around an element and changes nothing, and references to it.
#include "legality/object_parts.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"

namespace relayout::rewriter {

/// `R &r = p[i];`
std::optional<Step> elementBoundToReference(Climb &climb, const Place &here, const Parent &around) {
  const auto *variable = dyn_cast_or_null<clang::VarDecl>(around.decl);
  if (!variable || variable->getInit() != here.expression ||
      !variable->getType()->isReferenceType() || !climb.flowsInto(variable))
    return std::nullopt;
  TokenEdits edits = climb.edits();
  editAddress(edits, climb, here.element, nullptr);
  return climb.done(std::move(edits));
}

std::optional<Step> elementInParentheses(Climb &, const Place &here, const Parent &around) {
  const auto *parens = dyn_cast_or_null<clang::ParenExpr>(around.stmt);
  if (!parens)
    return std::nullopt;
  Place outside = here;
  outside.expression = parens;
  outside.element.parens.push_back(parens);
  return climbTo(std::move(outside));
}

std::optional<Step> convertedElement(Climb &, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(around.stmt);
  const bool addsConst = conversion && conversion->getCastKind() == clang::CK_NoOp;
  const bool isBase = conversion && isToBase(*conversion);
  if (!addsConst && !isBase && !isa_and_nonnull<clang::FullExpr>(around.stmt))
    return std::nullopt;
  Place outside = here;
  outside.expression = clang::cast<clang::Expr>(around.stmt);
  return climbTo(std::move(outside));
}

std::optional<Step> addressOfElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *address = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!address || address->getOpcode() != clang::UO_AddrOf)
    return std::nullopt;
  TokenEdits edits = climb.edits();
  editAddress(edits, climb, here.element, address);
  return climb.climbTo(pointerAt(address), std::move(edits));
}

std::optional<Step> sizeOfElement(Climb &climb, const Place &, const Parent &around) {
  const auto *size = dyn_cast_or_null<clang::UnaryExprOrTypeTraitExpr>(around.stmt);
  if (!size || size->getKind() != clang::UETT_SizeOf)
    return std::nullopt;
  TokenEdits edits = climb.edits();
  editSizeof(edits, climb, *size, climb.target.shape.name);
  return climb.done(std::move(edits));
}

} // namespace relayout::rewriter
