// SPDX-License-Identifier: Apache-2.0
// A field that a reference is bound to: the reference is followed.
#include "relayout/instrument/clang/record_fields.h"
#include "rules/constructs.h"

#include "legality/library_functions.h"
#include "legality/value_use.h"
#include "rules/element_edits.h"

#include <fmt/format.h>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

/// A library function may return the reference, which the climb follows, or hide it in an object.
bool keepsNothing(const clang::FunctionDecl &callee, const clang::Expr &field) {
  const clang::QualType result = callee.getReturnType();
  return result->isVoidType() || (!result->isReferenceType() && holdsNoAddress(result)) ||
         (result->isReferenceType() && result.getNonReferenceType().getUnqualifiedType() ==
                                           field.getType().getUnqualifiedType());
}

/// The refusal of passing a field by reference, if there is one; follows it into user functions.
std::optional<Step> pass(Climb &climb, const Place &here, const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  const clang::SourceLocation where = here.expression->getExprLoc();
  const clang::ParmVarDecl *parameter = callee ? parameterFor(call, *here.expression) : nullptr;
  const Step unseen =
      refused(Code::FieldAddressEscapes,

              fmt::format("{} is passed by reference to a function whose body is not known",
                          climb.nounFor(*here.expression)),
              where, remedyForReference(parameter));
  if (!callee || callee->getReturnType()->isPointerType())
    return unseen;
  const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
  const bool isObject = !parameter && method && isa<clang::CXXOperatorCallExpr>(call) &&
                        call.getArg(0) == here.expression;
  if (isObject ? !method->isConst()
               : parameter && !parameter->getType().getNonReferenceType().isConstQualified())
    climb.noteStore();
  if (isObject)
    return std::nullopt;
  if (!parameter)
    return unseen;
  if (!isUsers(climb.program, *callee))
    return keepsNothing(*callee, *here.expression) ||
                   keepsCopies(*callee, here.expression->getType())
               ? std::nullopt
               : std::optional(refused(Code::FieldAddressEscapes,
                                       fmt::format("{} is passed by reference to '{}'",
                                                   climb.nounFor(*here.expression),
                                                   callee->getNameAsString()),
                                       where, remedyForReference(parameter)));
  if (here.isValue) {
    climb.references.noteCopyFor(climb, *callee, where);
    requireNoOverload(climb, *callee, where);
  }
  followReference(climb, *parameter, *here.expression, here.isValue);
  return std::nullopt;
}

} // namespace

namespace {

/// The field, or an element of it, has the variable as another name from here on.
std::optional<Step> bind(Climb &climb, const Place &here, const clang::VarDecl &variable) {
  if (variable.getType()->isReferenceType() &&
      !variable.getType().getNonReferenceType().isConstQualified())
    climb.noteStore();
  bool isValue = here.isValue;
  if (isValue && !climb.isGiven) { // else what the function was given outlives its variables
    const clang::FieldDecl *field = fieldOf(climb.target, *here.expression);
    if (!field)
      return refused(Code::FieldAddressEscapes,
                     "a reference to a part of a copied element, or of const records, is kept",
                     variable.getLocation(), "copy the value instead");
    climb.program.parts[&climb.target].addressed.insert(instrument::nameOfField(*field));
    isValue = false; // the view returns a reference
  }
  if (isValue && !variable.hasLocalStorage())
    return std::nullopt;
  if (variable.getType()->isReferenceType())
    followReference(climb, variable, *here.expression, isValue);
  return done();
}

} // namespace

std::optional<Step> fieldBoundToReference(Climb &climb, const Place &here, const Parent &around) {
  const auto *variable = dyn_cast_or_null<clang::VarDecl>(around.decl);
  if (!variable || variable->getInit() != here.expression ||
      !variable->getType()->isReferenceType())
    return std::nullopt;
  return bind(climb, here, *variable);
}

/// `for (float &x : p[i].pos)`: the loop has a reference to the array.
std::optional<Step> fieldLoopedOver(Climb &climb, const Place &here, const Parent &around) {
  const auto *loop = dyn_cast_or_null<clang::CXXForRangeStmt>(around.stmt);
  if (!loop || loop->getRangeInit() != here.expression ||
      !here.expression->getType()->isConstantArrayType())
    return std::nullopt;
  return bind(climb, here, *loop->getLoopVariable());
}

std::optional<Step> fieldInConstruction(Climb &climb, const Place &here, const Parent &around) {
  const auto *construction = dyn_cast_or_null<clang::CXXConstructExpr>(around.stmt);
  if (!construction)
    return std::nullopt;
  const clang::CXXConstructorDecl &constructor = *construction->getConstructor();
  if (constructor.isCopyOrMoveConstructor() || keepsCopies(constructor, here.expression->getType()))
    return done();
  for (unsigned i = 0; i < construction->getNumArgs() && i < constructor.getNumParams(); ++i)
    if (construction->getArg(i) == here.expression && isUsers(climb.program, constructor)) {
      if (here.isValue)
        requireNoOverload(climb, constructor, here.expression->getExprLoc());
      followReference(climb, *constructor.getParamDecl(i), *here.expression, here.isValue);
      return done();
    }
  return std::nullopt;
}

std::optional<Step> passedField(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  if (!call)
    return std::nullopt;
  if (std::optional<Step> refusal = pass(climb, here, *call))
    return refusal;
  if (climb.refused || !call->getDirectCallee()->getReturnType()->isReferenceType() ||
      isDiscarded(climb.program.index, *call))
    return done();
  return climbTo(fieldAt(call, here.isValue)); // it may return what it was given
}

/// `const Vec &position() const { return position_; }`: the climb goes on at the call.
std::optional<Step> returnedField(Climb &climb, const Place &here, const Parent &around) {
  if (!isa_and_nonnull<clang::ReturnStmt>(around.stmt) || !climb.isGiven)
    return std::nullopt;
  const clang::QualType result = climb.function->getReturnType();
  if (!result->isLValueReferenceType() ||
      (here.isValue && !result.getNonReferenceType().isConstQualified()))
    return std::nullopt;
  return done();
}

} // namespace relayout::rewriter
