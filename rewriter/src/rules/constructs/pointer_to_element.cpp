// SPDX-License-Identifier: Apache-2.0
// From a pointer to an element: `p[i]`, `*p`, `p->`.
#include "rules/constructs.h"

namespace relayout::rewriter {

using clang::dyn_cast;

namespace {

/// A scalar is one field, which views of plain arrays return by reference: its text stays.
Place elementOrScalar(const Climb &climb, Element::Form form, const clang::Expr *whole,
                      const clang::Expr *view) {
  Place element = elementAt(form, whole, view, whole->getType().isConstQualified());
  if (climb.target.shape.isScalar)
    element.what = Reached::Field;
  return element;
}

} // namespace

std::optional<Step> subscriptedPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(around.stmt);
  if (!subscript)
    return std::nullopt;
  if (subscript->getLHS() == here.expression && subscript->getBase() == here.expression)
    return climbTo(elementOrScalar(climb, Element::Form::Subscript, subscript, here.expression));
  return refused(Code::UnsupportedElementUse, "the subscript stands before the array",
                 here.expression->getExprLoc(), "write array[index]");
}

std::optional<Step> dereferencedPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!unary || unary->getOpcode() != clang::UO_Deref)
    return std::nullopt;
  return climbTo(elementOrScalar(climb, Element::Form::Dereference, unary, here.expression));
}

std::optional<Step> pointerBeforeArrow(Climb &, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  if (!member || !member->isArrow())
    return std::nullopt;
  return climbTo(elementAt(Element::Form::Arrow, here.expression, here.expression,
                           here.expression->getType()->getPointeeType().isConstQualified()));
}

} // namespace relayout::rewriter
