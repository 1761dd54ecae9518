// SPDX-License-Identifier: Apache-2.0
// A field that is read, written, or taken apart. It may be passed on, but nobody may keep its
// address, from which the next field or record could be reached.
#include "legality/number_pairs.h"
#include "legality/object_parts.h"
#include "legality/value_use.h"
#include "rules/constructs.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

/// The header has a struct of its own for a pair, of which both members may be named.
std::optional<Step> pairAsAWhole(Climb &climb, const Place &here, const Parent &around) {
  const auto *member = dyn_cast<clang::MemberExpr>(here.expression);
  const auto *field = member ? dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
  const auto *part = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  if (here.isValue || !field || !isPairOfNumbers(*field) ||
      (around.stmt && isa<clang::ParenExpr>(around.stmt)) ||
      (part && isa<clang::FieldDecl>(part->getMemberDecl())))
    return std::nullopt;
  return refused(
      Code::NotPlainData,
      fmt::format("{} is used as a whole, and is a std::pair", climb.nounFor(*here.expression)),
      here.expression->getExprLoc(), "name its members, first and second");
}

std::optional<Step> readField(Climb &, const Place &, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around.stmt);
  if (!conversion || (conversion->getCastKind() != clang::CK_LValueToRValue &&
                      conversion->getCastKind() != clang::CK_ToVoid))
    return std::nullopt;
  return done();
}

std::optional<Step> convertedField(Climb &, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(around.stmt);
  if (!conversion || (conversion->getCastKind() != clang::CK_NoOp && !isToBase(*conversion)))
    return std::nullopt;
  return climbTo(fieldAt(conversion, here.isValue));
}

/// An array field that is subscripted or dereferenced where it stands.
std::optional<Step> decayedField(Climb &climb, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around.stmt);
  if (!conversion || conversion->getCastKind() != clang::CK_ArrayToPointerDecay)
    return std::nullopt;
  const clang::Stmt *outer = climb.program.index.parentOf(conversion).stmt;
  const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(outer);
  const auto *dereference = dyn_cast_or_null<clang::UnaryOperator>(outer);
  if ((subscript && subscript->getBase() == conversion) ||
      (dereference && dereference->getOpcode() == clang::UO_Deref))
    return climbTo(fieldAt(cast<clang::Expr>(outer), here.isValue));
  const clang::ConstantArrayType *array =
      climb.program.unit.ast().getAsConstantArrayType(here.expression->getType());
  if (!array || (here.isValue && !climb.isFollowed))
    return refused(Code::FieldAddressEscapes, "an array field decays to a pointer",
                   here.expression->getExprLoc(), "subscript it where it stands");
  return climbTo({.what = Reached::FieldPointer,
                  .expression = conversion,
                  .isValue = here.isValue,
                  .start = here.expression,
                  .reach = array->getZExtSize()});
}

std::optional<Step> castField(Climb &climb, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around.stmt);
  if (!conversion)
    return std::nullopt;
  return refused(Code::FieldAddressEscapes,
                 fmt::format("{} is cast to another type", climb.nounFor(*here.expression)),
                 conversion->getExprLoc(), "read it by its own type");
}

std::optional<Step> memberOfField(Climb &, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  if (!member || member->isArrow() || !isa<clang::FieldDecl>(member->getMemberDecl()))
    return std::nullopt;
  if (member->getMemberDecl()->getType()->isReferenceType())
    return done();
  return climbTo(fieldAt(member, here.isValue));
}

std::optional<Step> methodOfField(Climb &climb, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  if (!member || member->isArrow())
    return std::nullopt;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
  const auto *call =
      dyn_cast_or_null<clang::CXXMemberCallExpr>(climb.program.index.parentOf(member).stmt);
  if (method && method->isStatic())
    return done();
  if (!method || !call || method->getReturnType()->isPointerType())
    return refused(Code::FieldAddressEscapes, "a method of a field may keep its address",
                   member->getExprLoc(),
                   "keep the array and the index, and name the field at each use");
  if (!method->isConst())
    climb.noteStore();
  if (!method->getReturnType()->isReferenceType())
    return done();
  return climbTo(fieldAt(call, here.isValue));
}

std::optional<Step> subscriptedField(Climb &, const Place &here, const Parent &around) {
  const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(around.stmt);
  if (!subscript || subscript->getBase() != here.expression)
    return std::nullopt;
  return climbTo(fieldAt(subscript, here.isValue));
}

std::optional<Step> steppedField(Climb &climb, const Place &here, const Parent &around) {
  const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!unary || !unary->isIncrementDecrementOp())
    return std::nullopt;
  climb.noteStore();
  return unary->isPostfix() ? done() : climbTo(fieldAt(unary, here.isValue));
}

std::optional<Step> assignedField(Climb &climb, const Place &here, const Parent &around) {
  const auto *operation = dyn_cast_or_null<clang::BinaryOperator>(around.stmt);
  if (!operation || !operation->isAssignmentOp() || operation->getLHS() != here.expression)
    return std::nullopt;
  climb.noteStore();
  return isDiscarded(climb.program.index, *operation) ? done()
                                                      : climbTo(fieldAt(operation, here.isValue));
}

std::optional<Step> fieldBesideComma(Climb &, const Place &here, const Parent &around) {
  const auto *operation = dyn_cast_or_null<clang::BinaryOperator>(around.stmt);
  if (!operation || operation->getOpcode() != clang::BO_Comma)
    return std::nullopt;
  return operation->getLHS() == here.expression ? done()
                                                : climbTo(fieldAt(operation, here.isValue));
}

std::optional<Step> fieldInChoice(Climb &, const Place &here, const Parent &around) {
  const auto *choice = dyn_cast_or_null<clang::ConditionalOperator>(around.stmt);
  if (!choice || choice->getCond() == here.expression)
    return std::nullopt;
  return climbTo(fieldAt(choice, here.isValue));
}

std::optional<Step> unevaluatedField(Climb &, const Place &, const Parent &around) {
  if (!isa_and_nonnull<clang::UnaryExprOrTypeTraitExpr, clang::CXXNoexceptExpr, clang::LambdaExpr>(
          around.stmt))
    return std::nullopt;
  return done();
}

std::optional<Step> typeOfField(Climb &, const Place &here, const Parent &around) {
  if (!around.inType)
    return std::nullopt;
  return refused(Code::UnsupportedElementUse, "a type is taken from a field",
                 here.expression->getExprLoc(), "write the type out");
}

} // namespace relayout::rewriter
