// SPDX-License-Identifier: Apache-2.0
// From a pointer to an element: `p[i]`, `*p`, `p->`.
#include "rules/constructs.h"

namespace relayout::rewriter {

using clang::dyn_cast;

std::optional<Step> subscriptedPointer(Climb &, const Place &here, const Parent &around) {
  const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(around.stmt);
  if (!subscript)
    return std::nullopt;
  if (subscript->getLHS() == here.expression && subscript->getBase() == here.expression)
    return climbTo(elementAt(Element::Form::Subscript, subscript, here.expression,
                             subscript->getType().isConstQualified()));
  return refused(Code::UnsupportedElementUse, "the subscript stands before the array",
                 here.expression->getExprLoc(), "write array[index]");
}

std::optional<Step> dereferencedPointer(Climb &, const Place &here, const Parent &around) {
  const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!unary || unary->getOpcode() != clang::UO_Deref)
    return std::nullopt;
  return climbTo(elementAt(Element::Form::Dereference, unary, here.expression,
                           unary->getType().isConstQualified()));
}

std::optional<Step> pointerBeforeArrow(Climb &, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  if (!member || !member->isArrow())
    return std::nullopt;
  return climbTo(elementAt(Element::Form::Arrow, here.expression, here.expression,
                           here.expression->getType()->getPointeeType().isConstQualified()));
}

} // namespace relayout::rewriter
