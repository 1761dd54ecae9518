// SPDX-License-Identifier: Apache-2.0
// Elements as values: copied, assigned, passed.
#include "legality/constant_references.h"
#include "legality/evaluation_order.h"
#include "legality/execution_space.h"
#include "legality/library_functions.h"
#include "legality/memberwise_copies.h"
#include "legality/value_use.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"
#include "rules/named_values.h"

#include "relayout/instrument/clang/record_fields.h"

#include <clang/AST/Attr.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

namespace {

std::optional<Step> load(Climb &climb, const Element &element) {
  TokenEdits edits = climb.edits();
  editLoad(edits, climb, element, nullptr);
  return climb.done(std::move(edits));
}

/// Whether element and value may be computed in any order: the arguments of a call are, the sides
/// of an assignment right before left.
bool orderMayChange(const Climb &climb, const Element &element, const clang::Expr &value) {
  if (!orderOfStoreMatters(climb.program, *element.whole, value))
    return true;
  const auto *name = dyn_cast<clang::DeclRefExpr>(value.IgnoreParenImpCasts());
  return name && name->getType()->isRecordType() &&
         !mayChange(element.whole, {dyn_cast<clang::VarDecl>(name->getDecl())});
}

/// What takes the place of the `=` and the blanks around it, after the element was edited.
std::string editStored(TokenEdits &edits, const Element &element, const std::string &store) {
  if (element.form != Element::Form::Choice)
    for (const clang::ParenExpr *parens : element.parens)
      edits.dropParens(*parens);
  switch (element.form) {
  case Element::Form::Subscript:
    edits.replaceBrackets(*cast<clang::ArraySubscriptExpr>(element.whole),
                          fmt::format(".{}(", store), ", ");
    return {};
  case Element::Form::Dereference:
    edits.dropStar(*cast<clang::UnaryOperator>(element.whole));
    if (isPostfix(element.view))
      break;
    edits.insertBefore(*element.view, "(");
    return fmt::format(").{}(0, ", store);
  case Element::Form::Arrow:
  case Element::Form::Reference:
  case Element::Form::Choice:
    break;
  }
  return fmt::format(".{}(0, ", store);
}

/// Not only the part of a base class.
bool isWhole(const Climb &climb, const clang::Expr &element) {
  const clang::CXXRecordDecl *record = element.getType()->getAsCXXRecordDecl();
  return record && record->getCanonicalDecl() == climb.target.record->getCanonicalDecl();
}

/// What an object's value is copied from: not used otherwise, so that it may be another object
/// with this value.
bool isCopied(const Climb &climb, const clang::Expr &object) {
  const clang::Expr *whole = &object;
  while (const auto *around =
             dyn_cast_or_null<clang::Expr>(climb.program.index.parentOf(whole).stmt)) {
    if (const auto *made = dyn_cast<clang::CXXConstructExpr>(around))
      return made->getConstructor()->isCopyOrMoveConstructor() && made->getArg(0) == whole &&
             copiesMembers(climb.program, *made->getConstructor());
    if (const auto *call = dyn_cast<clang::CXXOperatorCallExpr>(around)) {
      const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(call->getDirectCallee());
      return method && method->isCopyAssignmentOperator() && call->getArg(1) == whole &&
             copiesMembers(climb.program, *method);
    }
    const auto *conversion = dyn_cast<clang::ImplicitCastExpr>(around);
    const auto *choice = dyn_cast<clang::ConditionalOperator>(around);
    if (!isa<clang::ParenExpr>(around) && !(choice && choice->getCond() != whole) &&
        !(conversion && conversion->getCastKind() == clang::CK_NoOp))
      return false;
    whole = around;
  }
  return false;
}

/// A constant of the host's, which device code may copy, and to which it may bind no reference.
bool isHostConstant(const Climb &climb, const clang::Expr &value) {
  const auto *name = dyn_cast<clang::DeclRefExpr>(value.IgnoreParenImpCasts());
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->hasGlobalStorage() && isDeclaredForDevice(climb.function) &&
         !variable->hasAttr<clang::CUDADeviceAttr>() &&
         !variable->hasAttr<clang::CUDAConstantAttr>() &&
         !variable->hasAttr<clang::CUDASharedAttr>() && !variable->hasAttr<clang::HIPManagedAttr>();
}

/// `p[i] = e;` becomes `p.store(i, e);`.
Step store(Climb &climb, const Element &element, const clang::CXXOperatorCallExpr &assignment) {
  climb.noteStore();
  climb.need(ViewOperation::Store);
  if (!isDiscarded(climb.program.index, assignment)) {
    if (!isCopied(climb, assignment))
      return refused(Code::UnsupportedElementUse,
                     "the value of an assignment to an element is used",
                     assignment.getOperatorLoc(), "make the assignment a statement of its own");
    climb.need(ViewOperation::StoreValue);
  }
  const clang::Expr *value = assignment.getArg(1);
  if (!orderMayChange(climb, element, *value)) {
    if (std::optional<TokenEdits> edits = storeOfNamedValue(climb, element, assignment))
      return climb.done(std::move(*edits));
    return refused(Code::UnsupportedElementUse,
                   "element and value of an assignment depend on each other's order",
                   assignment.getOperatorLoc(), "compute the value into a variable first");
  }
  TokenEdits edits = climb.edits();
  const std::optional<FileRange> sign = climb.reader.tokenRange(assignment.getOperatorLoc());
  const std::optional<FileRange> right = climb.reader.range(value->getSourceRange());
  if (!sign || !right || climb.reader.text(*sign) != "=" || right->begin.path != sign->begin.path) {
    edits.fail(assignment.getOperatorLoc());
    return climb.done(std::move(edits));
  }
  const std::string open = editStored(edits, element, climb.target.names.store);
  // The sign goes with the blanks around it, so that `p[i] = e` reads `p.store(i, e`.
  const FileRange gone = withSpaceAround(*sign, climb.reader);
  const bool isNamedOnly = isHostConstant(climb, *value);
  edits.add(
      {gone, isNamedOnly
                 ? open + spelledFor(climb.target, climb.target.shape.name, climb.function) + "("
                 : open});
  edits.add({{{right->begin.path, right->end}, right->end},
             isNamedOnly ? "))" : ")",
             {0, -long(gone.begin.offset)}});
  return climb.done(std::move(edits));
}

} // namespace

/// `R copy = p[i];`, `f(p[i])`.
std::optional<Step> copiedElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *construction = dyn_cast_or_null<clang::CXXConstructExpr>(around.stmt);
  if (!construction || !construction->getConstructor()->isCopyOrMoveConstructor() ||
      !copiesMembers(climb.program, *construction->getConstructor()) ||
      construction->getNumArgs() == 0 || construction->getArg(0) != here.expression)
    return std::nullopt;
  return load(climb, here.element);
}

/// `R copy = isNear ? p[i] : local;`
std::optional<Step> elementBesideValue(Climb &climb, const Place &here, const Parent &around) {
  const auto *choice = dyn_cast_or_null<clang::ConditionalOperator>(around.stmt);
  if (!choice || choice->getCond() == here.expression || !choice->isGLValue() ||
      !isWhole(climb, *here.expression) || !isCopied(climb, *choice))
    return std::nullopt;
  return load(climb, here.element);
}

/// `list.push_back(p[i])`, `std::pair<R, int>(p[i], 1)`
std::optional<Step> elementInContainer(Climb &climb, const Place &here, const Parent &around) {
  const clang::FunctionDecl *callee = nullptr;
  if (const auto *construction = dyn_cast_or_null<clang::CXXConstructExpr>(around.stmt))
    callee = construction->getConstructor();
  else if (const auto *call = dyn_cast_or_null<clang::CXXMemberCallExpr>(around.stmt))
    callee = call->getDirectCallee();
  if (!callee || !isWhole(climb, *here.expression) ||
      !keepsCopies(*callee, here.expression->getType()))
    return std::nullopt;
  return load(climb, here.element);
}

/// `copy = p[i];`, `p[i] = copy;`
std::optional<Step> assignedElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *assignment = dyn_cast_or_null<clang::CXXOperatorCallExpr>(around.stmt);
  if (!assignment || assignment->getOperator() != clang::OO_Equal)
    return std::nullopt;
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(assignment->getDirectCallee());
  if (!method || !(method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) ||
      !copiesMembers(climb.program, *method))
    return std::nullopt;
  if (assignment->getArg(1) == here.expression)
    return load(climb, here.element);
  if (assignment->getArg(0) == here.expression && isWhole(climb, *here.expression))
    return store(climb, here.element, *assignment);
  return std::nullopt;
}

/// Whether an object of the type may be, or hold, a part of the record, or be made of one.
bool isRelated(clang::QualType type, const clang::CXXRecordDecl &record) {
  const clang::CXXRecordDecl *other = type->getAsCXXRecordDecl();
  if (!other || !other->hasDefinition())
    return true;
  if (other->getCanonicalDecl() == record.getCanonicalDecl() || other->isDerivedFrom(&record) ||
      record.isDerivedFrom(other))
    return true;
  return std::ranges::any_of(instrument::allFields(&record), [&](const clang::FieldDecl *field) {
    const clang::QualType held = field->getASTContext().getBaseElementType(field->getType());
    const clang::CXXRecordDecl *nested = held->getAsCXXRecordDecl();
    return nested && nested->hasDefinition() && isRelated(type, *nested->getDefinition());
  });
}

/// Whether what a call returns cannot lead to the element that it is given: a value, nothing that
/// is used, or a reference to an object of another kind, such as the stream of `out << p[i]`.
bool returnsOther(const Climb &climb, const clang::FunctionDecl &callee,
                  const clang::CallExpr &call) {
  const clang::QualType result = callee.getReturnType();
  if (isDiscarded(climb.program.index, call))
    return true;
  if (result->isReferenceType())
    return !isRelated(result.getNonReferenceType(), *climb.target.record);
  return !result->isPointerType();
}

/// An element passed by reference: as a view, or as a copy where the reference is to const.
std::optional<Step> passedElement(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  if (!call)
    return std::nullopt;
  const Step unsupported =
      refused(Code::UnsupportedElementUse,
              "the element is passed by reference to a function that may keep or change it",
              here.expression->getExprLoc(),
              "pass it by value, or by const reference to a function of this file");
  const clang::FunctionDecl *callee = call->getDirectCallee();
  if (callee && !isUsers(climb.program, *callee) && isMathematical(*callee) &&
      holdsNoAddress(callee->getReturnType())) {
    requireNoOverload(climb, *callee, here.expression->getExprLoc());
    return load(climb, here.element);
  }
  if (!callee || !isUsers(climb.program, *callee))
    return unsupported;
  const clang::ParmVarDecl *parameter = parameterFor(*call, *here.expression);
  const auto *method = dyn_cast<clang::CXXMethodDecl>(callee);
  const bool isConstObject = !parameter && method && method->isConst() &&
                             isa<clang::CXXOperatorCallExpr>(call) &&
                             call->getArg(0) == here.expression;
  const bool isConstReference =
      parameter && isKeptReference(climb.program, parameter) &&
      (parameter->getType().getNonReferenceType().isConstQualified() ||
       (mayBeConst(climb.program, *parameter) && makeConst(climb.program, *parameter)));
  if (returnsOther(climb, *callee, *call) && (isConstReference || isConstObject)) {
    requireIdleArguments(climb, *call, *here.expression);
    if (parameter)
      followReference(climb, *parameter, *here.expression, /*isValue=*/true);
    else
      followThis(climb, *method);
    climb.references.noteCopyFor(climb, *callee, here.expression->getExprLoc());
    requireNoOverload(climb, *callee, here.expression->getExprLoc());
    return load(climb, here.element);
  }
  if (!parameter || !parameter->getType()->isReferenceType() || !climb.flowsInto(parameter))
    return unsupported;
  TokenEdits edits = climb.edits();
  editAddress(edits, climb, here.element, nullptr);
  return climb.done(std::move(edits));
}

} // namespace relayout::rewriter
