// SPDX-License-Identifier: Apache-2.0
// A pointer in operators: views have those of pointers, among themselves.
#include "legality/value_use.h"
#include "rules/constructs.h"

#include <fmt/format.h>

namespace relayout::rewriter {

namespace {

const clang::Expr &besides(const clang::BinaryOperator &operation, const clang::Expr *side) {
  return operation.getLHS() == side ? *operation.getRHS() : *operation.getLHS();
}

/// An operation on a pointer, which the view of its type has to offer.
void needOn(Climb &climb, const clang::Expr &pointer, ViewOperation operation) {
  const clang::QualType pointee = pointer.getType()->getPointeeType();
  climb.needOn(!pointee.isNull() && pointee.isConstQualified(), operation);
}

} // namespace

std::optional<Step> steppedPointer(Climb &climb, const Place &, const Parent &around) {
  const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!unary || !unary->isIncrementDecrementOp())
    return std::nullopt;
  if (unary->isPostfix())
    needOn(climb, *unary,
           unary->isIncrementOp() ? ViewOperation::PostIncrement : ViewOperation::PostDecrement);
  else
    needOn(climb, *unary,
           unary->isIncrementOp() ? ViewOperation::Increment : ViewOperation::Decrement);
  return climbTo(pointerAt(unary));
}

/// `p = q`, `p += n`.
std::optional<Step> assignedPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *operation = dyn_cast_or_null<clang::BinaryOperator>(around.stmt);
  if (!operation || !operation->isAssignmentOp())
    return std::nullopt;
  if (operation->getOpcode() != clang::BO_Assign)
    needOn(climb, *operation,
           operation->getOpcode() == clang::BO_AddAssign ? ViewOperation::Advance
                                                         : ViewOperation::GoBack);
  if (operation->getLHS() == here.expression)
    return isDiscarded(climb.program.index, *operation) ? done() : climbTo(pointerAt(operation));
  if (operation->getOpcode() == clang::BO_Assign && climb.isView(operation->getLHS()))
    return done();
  return std::nullopt;
}

/// `p + n`, `n + p`, `p - n`.
std::optional<Step> pointerArithmetic(Climb &climb, const Place &here, const Parent &around) {
  const auto *operation = dyn_cast_or_null<clang::BinaryOperator>(around.stmt);
  if (!operation || !operation->isAdditiveOp() ||
      besides(*operation, here.expression).getType()->isPointerType())
    return std::nullopt;
  if (operation->getOpcode() == clang::BO_Sub)
    needOn(climb, *operation, ViewOperation::Subtract);
  else
    needOn(climb, *operation,
           operation->getLHS() == here.expression ? ViewOperation::Add : ViewOperation::AddInFront);
  return climbTo(pointerAt(operation));
}

/// `p - q`, `p == q`, `p < q`.
std::optional<Step> comparedPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *operation = dyn_cast_or_null<clang::BinaryOperator>(around.stmt);
  if (!operation ||
      !(operation->getOpcode() == clang::BO_Sub || operation->isEqualityOp() ||
        operation->isRelationalOp()) ||
      !climb.isView(&besides(*operation, here.expression)))
    return std::nullopt;
  editTypedNulls(climb.program, &besides(*operation, here.expression), climb.target);
  if (operation->getOpcode() == clang::BO_Sub)
    climb.need(ViewOperation::Difference);
  else
    climb.need(operation->isEqualityOp() ? ViewOperation::Equality : ViewOperation::Order);
  return done();
}

std::optional<Step> pointerBesideComma(Climb &, const Place &here, const Parent &around) {
  const auto *operation = dyn_cast_or_null<clang::BinaryOperator>(around.stmt);
  if (!operation || operation->getOpcode() != clang::BO_Comma)
    return std::nullopt;
  return operation->getLHS() == here.expression ? done() : climbTo(pointerAt(operation));
}

std::optional<Step> pointerInOtherOperator(Climb &, const Place &, const Parent &around) {
  const auto *operation = dyn_cast_or_null<clang::BinaryOperator>(around.stmt);
  if (!operation)
    return std::nullopt;
  return refused(Code::PointerEscapes,
                 fmt::format("operator '{}' combines the pointer with one that is not rewritten",
                             operation->getOpcodeStr().str()),
                 operation->getOperatorLoc(), "keep device and host pointers apart");
}

} // namespace relayout::rewriter
