// SPDX-License-Identifier: Apache-2.0
// A pointer to a field that a variable keeps or a function is given. The field keeps its type, so
// that its address is good for the field itself, or all of an array that is a field; what lies
// behind it is another element's. The pointer's uses are followed.
#include "legality/functions_behind.h"
#include "legality/library_functions.h"
#include "legality/object_parts.h"
#include "legality/value_use.h"
#include "relayout/base/cuda_calls.h"
#include "relayout/instrument/clang/record_fields.h"
#include "rules/constructs.h"
#include "rules/element_edits.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

const char *const kNameField = "name the field at each use: array[index].field";

Place pointerToField(const clang::Expr *expression, const Place &from) {
  return {.what = Reached::FieldPointer,
          .expression = expression,
          .isValue = from.isValue,
          .start = from.start,
          .reach = from.reach,
          .untyped = from.untyped};
}

bool isUntyped(const clang::Expr &pointer) { return pointer.getType()->isVoidPointerType(); }

/// `(Sphere *)shape` of a `void *` that leads to a field of at least that size and alignment.
bool fits(const clang::ASTContext &context, const clang::CastExpr &conversion, FieldBytes bytes) {
  const clang::QualType type = conversion.getType()->getPointeeType();
  return isUntyped(*conversion.getSubExpr()) && !type.isNull() && type->isObjectType() &&
         !type->isIncompleteType() && !type->isPointerType() &&
         context.getTypeSizeInChars(type).getQuantity() <= static_cast<std::int64_t>(bytes.size) &&
         context.getTypeAlignInChars(type).getQuantity() <=
             static_cast<std::int64_t>(bytes.alignment);
}

/// The elements from here to the end of the array that a field is, or is the first element of.
std::uint64_t reachOf(const Climb &climb, const clang::Expr &field) {
  const clang::ASTContext &context = climb.program.unit.ast();
  const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(field.IgnoreParens());
  if (!subscript)
    return 1;
  const auto *decay = dyn_cast<clang::ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
  const clang::ConstantArrayType *array =
      decay && decay->getCastKind() == clang::CK_ArrayToPointerDecay
          ? context.getAsConstantArrayType(decay->getSubExpr()->getType())
          : nullptr;
  const clang::Expr *whole = array ? decay->getSubExpr()->IgnoreParens() : nullptr;
  while (const auto *inner = dyn_cast_or_null<clang::ArraySubscriptExpr>(whole))
    whole = inner->getBase()->IgnoreParenImpCasts();
  if (const auto *member = dyn_cast_or_null<clang::MemberExpr>(whole))
    if (const auto *declared = dyn_cast<clang::FieldDecl>(member->getMemberDecl());
        declared && isExploded(climb.target, *declared))
      return 1;
  const std::optional<llvm::APSInt> index = subscript->getIdx()->getIntegerConstantExpr(context);
  return array && index && index->isZero() ? array->getZExtSize() : 1;
}

/// Follows a variable or parameter that the pointer is put into.
std::optional<Step> follow(Climb &climb, const Place &here, const clang::VarDecl &variable) {
  const auto refuse = [&](const std::string &why) {
    return refused(
        Code::FieldAddressEscapes,
        fmt::format("the address of a field is kept in '{}', {}", variable.getNameAsString(), why),
        here.start->getExprLoc(), kNameField);
  };
  const clang::VarDecl *followed = &variable;
  LinkedFunction linked;
  if (const auto *parameter = dyn_cast<clang::ParmVarDecl>(&variable)) {
    const auto *function = dyn_cast<clang::FunctionDecl>(parameter->getDeclContext());
    if (function)
      linked = climb.program.linked.bodyOf(climb.program, *function);
    const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(function);
    if (!linked.body || (method && method->isVirtual()))
      return refuse("a parameter of a function whose body is not known");
    followed = linked.body->getParamDecl(parameter->getFunctionScopeIndex());
  }
  if (!followed->hasLocalStorage() || !followed->getType()->isPointerType())
    return refuse("which is not a local pointer");
  Program &owner = *linked.programOr(&climb.program);
  if (owner.targetOf(followed))
    return refuse("which serves arrays whose layout changes");
  if (!climb.references.isNewPointer(*followed, here.isValue,
                                     {here.reach, here.untyped.size, here.untyped.alignment}))
    return done();
  for (const clang::DeclRefExpr *name : owner.index.referencesTo(followed)) {
    Place use = pointerToField(name, here);
    use.start = name;
    climb.follow(&owner, *name, std::move(use));
  }
  return done();
}

} // namespace

/// `float *x = &p[i].x;`, `normalise(&p[i].vel)`.
std::optional<Step> keptFieldAddress(Climb &climb, const Place &here, const Parent &) {
  const auto *address = dyn_cast<clang::UnaryOperator>(here.start);
  if (!address)
    return std::nullopt;
  const clang::ASTContext &context = climb.program.unit.ast();
  if (context.getTypeAlign(here.expression->getType()->getPointeeType()) >
      context.getTypeAlign(address->getSubExpr()->getType()))
    return refused(Code::FieldAddressEscapes,
                   "the address of a field is cast to a type of larger alignment",
                   here.start->getExprLoc(), kNameField);
  Place pointer = pointerToField(here.expression, here);
  if (here.isValue && !climb.isFollowed) { // the view returns a reference instead of a value
    const clang::FieldDecl *field = fieldOf(climb.target, *address->getSubExpr());
    if (!field)
      return refused(Code::FieldAddressEscapes, "the address of a field of const records is taken",
                     here.start->getExprLoc(), "copy the value instead");
    climb.program.parts[&climb.target].addressed.insert(instrument::nameOfField(*field));
    pointer.isValue = false;
  }
  pointer.reach = reachOf(climb, *address->getSubExpr());
  return climbTo(std::move(pointer));
}

std::optional<Step> convertedFieldPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::ImplicitCastExpr>(around.stmt);
  if (!conversion)
    return std::nullopt;
  if (conversion->getCastKind() == clang::CK_PointerToBoolean)
    return done();
  if (conversion->getCastKind() == clang::CK_BitCast && isUntyped(*conversion)) {
    const clang::ASTContext &context = climb.program.unit.ast();
    const clang::QualType type = here.expression->getType()->getPointeeType();
    Place untyped = pointerToField(conversion, here);
    // Of an array, a pointer that stands at its start: others may have moved.
    const bool isAtStart = here.reach == 1 || (!isa<clang::DeclRefExpr>(here.start) &&
                                               here.expression->IgnoreParenImpCasts() ==
                                                   here.start->IgnoreParenImpCasts());
    untyped.untyped = {
        isAtStart ? static_cast<std::uint64_t>(context.getTypeSizeInChars(type).getQuantity()) *
                        here.reach
                  : 0,
        static_cast<std::uint64_t>(context.getTypeAlignInChars(type).getQuantity())};
    untyped.reach = 1;
    return climbTo(std::move(untyped));
  }
  if (conversion->getCastKind() != clang::CK_LValueToRValue &&
      conversion->getCastKind() != clang::CK_NoOp && !isToBase(*conversion))
    return std::nullopt;
  Place outside = pointerToField(conversion, here);
  if (isToBase(*conversion))
    outside.reach = 1;
  return climbTo(std::move(outside));
}

/// `(unsigned long long *)x`, the bits that an atomic compares; `(Sphere *)shape` of a `void *`.
std::optional<Step> castFieldPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *conversion = dyn_cast_or_null<clang::CastExpr>(around.stmt);
  const clang::ASTContext &context = climb.program.unit.ast();
  if (!conversion ||
      !(keepsBytes(context, *conversion) || fits(context, *conversion, here.untyped)))
    return std::nullopt;
  Place typed = pointerToField(conversion, here);
  typed.untyped = {};
  return climbTo(std::move(typed));
}

/// `x[0]`; `r[k]` of an array.
std::optional<Step> subscriptedFieldPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *subscript = dyn_cast_or_null<clang::ArraySubscriptExpr>(around.stmt);
  if (!subscript || subscript->getBase() != here.expression)
    return std::nullopt;
  const std::optional<llvm::APSInt> index =
      subscript->getIdx()->getIntegerConstantExpr(climb.program.unit.ast());
  if (index ? index->isNegative() || index->getZExtValue() >= here.reach : here.reach == 1)
    return refused(Code::FieldAddressEscapes, "a pointer to a field reaches beyond the field",
                   subscript->getExprLoc(), kNameField);
  return climbTo(fieldAt(subscript, here.isValue));
}

std::optional<Step> dereferencedFieldPointer(Climb &, const Place &here, const Parent &around) {
  const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
  if (!unary || unary->getOpcode() != clang::UO_Deref)
    return std::nullopt;
  return climbTo(fieldAt(unary, here.isValue));
}

/// `v->x`, `v->length()`.
std::optional<Step> fieldPointerBeforeArrow(Climb &climb, const Place &here, const Parent &around) {
  const auto *member = dyn_cast_or_null<clang::MemberExpr>(around.stmt);
  if (!member || !member->isArrow())
    return std::nullopt;
  if (isa<clang::FieldDecl>(member->getMemberDecl()))
    return climbTo(fieldAt(member, here.isValue));
  const auto *method = dyn_cast<clang::CXXMethodDecl>(member->getMemberDecl());
  if (!method || method->getReturnType()->isPointerType() ||
      method->getReturnType()->isReferenceType())
    return std::nullopt;
  if (!method->isConst())
    climb.noteStore();
  return done();
}

/// `r + 1`, `++r` and `r < end` of an array, `x == y` of any.
std::optional<Step> fieldPointerInOperator(Climb &climb, const Place &here, const Parent &around) {
  if (const auto *unary = dyn_cast_or_null<clang::UnaryOperator>(around.stmt);
      unary && unary->isIncrementDecrementOp() && here.reach > 1)
    return climbTo(pointerToField(unary, here));
  const auto *binary = dyn_cast_or_null<clang::BinaryOperator>(around.stmt);
  if (!binary)
    return std::nullopt;
  if (binary->isEqualityOp() || (binary->isRelationalOp() && here.reach > 1)) {
    const clang::Expr *other =
        binary->getLHS() == here.expression ? binary->getRHS() : binary->getLHS();
    if (here.isValue && !other->isNullPointerConstant(climb.program.unit.ast(),
                                                      clang::Expr::NPC_ValueDependentIsNotNull))
      return refused(Code::FieldAddressEscapes,
                     "an address is compared that is a copy's after the rewrite",
                     binary->getOperatorLoc(), "compare the indices instead");
    return done();
  }
  if (binary->getType()->isPointerType() && here.reach > 1 &&
      (binary->isAdditiveOp() || binary->isCompoundAssignmentOp()))
    return climbTo(pointerToField(binary, here));
  if (binary->getOpcode() != clang::BO_Assign)
    return std::nullopt;
  if (binary->getLHS() == here.expression)
    return isDiscarded(climb.program.index, *binary)
               ? std::optional(done())
               : std::optional(climbTo(pointerToField(binary, here)));
  const auto *name = dyn_cast<clang::DeclRefExpr>(binary->getLHS()->IgnoreParens());
  const auto *variable = name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable ? follow(climb, here, *variable) : std::nullopt;
}

std::optional<Step> fieldPointerInChoice(Climb &, const Place &here, const Parent &around) {
  const auto *choice = dyn_cast_or_null<clang::ConditionalOperator>(around.stmt);
  if (!choice || choice->getCond() == here.expression)
    return std::nullopt;
  return climbTo(pointerToField(choice, here));
}

std::optional<Step> fieldPointerInVariable(Climb &climb, const Place &here, const Parent &around) {
  const auto *variable = dyn_cast_or_null<clang::VarDecl>(around.decl);
  if (!variable || variable->getInit() != here.expression)
    return std::nullopt;
  return follow(climb, here, *variable);
}

/// By a copy; what the lambda does with it is looked at by itself.
std::optional<Step> capturedFieldPointer(Climb &, const Place &here, const Parent &around) {
  if (!isa_and_nonnull<clang::LambdaExpr>(around.stmt) ||
      !isa<clang::DeclRefExpr>(here.expression->IgnoreImpCasts()))
    return std::nullopt;
  return done();
}

namespace {

/// `cudaMemcpy(to, from, bytes, …)`, `memcpy(to, from, bytes)`, `memset(to, byte, bytes)`.
bool copiesOrSets(const std::string &name) {
  if (const CudaCall *known = cudaCallNamed(name))
    return known->isGenerated && ((known->kind == CudaCallKind::Copy && !known->symbolPosition()) ||
                                  known->kind == CudaCallKind::Set);
  return name == "memcpy" || name == "memmove" || name == "memset";
}

} // namespace

/// `cudaMemcpy(&d[i].next, &next, sizeof(next), …)`: no byte beside the field is reached.
std::optional<Step> fieldPointerInCopy(Climb &climb, const Place &here, const Parent &around) {
  constexpr unsigned kBytes = 2;
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  const std::string name = call ? runtimeName(climb.program, *call) : std::string();
  if (!copiesOrSets(name) || call->getNumArgs() <= kBytes ||
      (call->getArg(0) != here.expression && call->getArg(1) != here.expression))
    return std::nullopt;
  // A copy that only reads may as well read a copy of the element.
  const bool isRead = call->getArg(0) != here.expression && !cudaCallNamed(name);
  if (here.isValue && !isRead)
    return refused(Code::FieldAddressEscapes,
                   fmt::format("'{}' is given the address of a field of an element that a function "
                               "takes by reference to const, which is a copy after the rewrite",
                               name),
                   call->getExprLoc(), "pass the array and the index");
  if (!cudaCallNamed(name) && !isDiscarded(climb.program.index, *call))
    return refused(Code::FieldAddressEscapes, fmt::format("what '{}' returns is used", name),
                   call->getExprLoc(), "make the call a statement of its own");
  const clang::Expr &bytes = *call->getArg(kBytes);
  const auto count = bytes.isValueDependent()
                         ? std::nullopt
                         : bytes.getIntegerConstantExpr(climb.program.unit.ast());
  // As with a subscript, a number of elements that is not known stays inside the array.
  const bool isInArray = !count && here.expression->IgnoreParenCasts()->getType()->isArrayType();
  if (!isInArray && (!count || count->getZExtValue() > here.untyped.size))
    return refused(Code::FieldAddressEscapes,
                   fmt::format("'{}' may reach beyond the field whose address it is given", name),
                   bytes.getExprLoc(), "copy whole elements, or sizeof(field) bytes");
  if (call->getArg(0) == here.expression)
    climb.noteStore();
  return done();
}

namespace {

/// `cost(p[i].position, n)` where `cost` is a pointer: whichever function it is.
std::optional<Step> followBehind(Climb &climb, const Place &here, const clang::CallExpr &call) {
  const auto given = std::find(call.arg_begin(), call.arg_end(), here.expression);
  const auto index = static_cast<unsigned>(given - call.arg_begin());
  std::optional<Step> step;
  for (const clang::FunctionDecl *function : functionsBehind(climb.program, call))
    if (index < function->getNumParams()) {
      step = follow(climb, here, *function->getParamDecl(index));
      if (!step || step->refusal)
        return step;
    }
  return step;
}

} // namespace

std::optional<Step> passedFieldPointer(Climb &climb, const Place &here, const Parent &around) {
  const auto *call = dyn_cast_or_null<clang::CallExpr>(around.stmt);
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (call && !callee)
    return followBehind(climb, here, *call);
  if (!callee)
    return std::nullopt;
  if (isUsers(climb.program, *callee)) {
    const clang::ParmVarDecl *parameter = parameterFor(*call, *here.expression);
    return parameter ? follow(climb, here, *parameter) : std::nullopt;
  }
  const std::string name = runtimeName(climb.program, *call);
  if (forgetsAddresses(name) || changesItsState(name, here.expression->getType()))
    climb.noteStore();
  else if (!isReadOnlyLoad(name))
    return std::nullopt;
  return done();
}

/// `return &ring->slot[ring->head];` of a function that is called by its name, where all calls are
/// seen: what they do with it is looked at.
std::optional<Step> returnedFieldPointer(Climb &climb, const Place &here, const Parent &around) {
  const clang::FunctionDecl *function = climb.function;
  const auto *method = dyn_cast_or_null<clang::CXXMethodDecl>(function);
  if (!isa_and_nonnull<clang::ReturnStmt>(around.stmt) || !function || here.isValue ||
      isUntyped(*here.expression) ||
      (method && (method->isVirtual() || method->getParent()->isLambda())))
    return std::nullopt;
  const bool isSeenByCallers =
      climb.program.isAlone || function->isInlined() || !function->isExternallyVisible();
  if (!isSeenByCallers)
    return std::nullopt;
  const auto isOf = [&](const clang::FunctionDecl *other) {
    return other && other->getCanonicalDecl() == function->getCanonicalDecl();
  };
  std::vector<const clang::CallExpr *> calls;
  std::set<const clang::Expr *> callees;
  for (const Naming &naming : climb.program.index.namings())
    if (const auto *call = dyn_cast<clang::CallExpr>(naming.expression);
        call && !naming.isDependent && isOf(call->getDirectCallee())) {
      calls.push_back(call);
      callees.insert(call->getCallee()->IgnoreParenImpCasts());
    }
  for (const Naming &naming : climb.program.index.namings())
    if (const auto *name = dyn_cast<clang::DeclRefExpr>(naming.expression);
        name && isOf(dyn_cast<clang::FunctionDecl>(name->getDecl())) && !callees.contains(name))
      return std::nullopt;
  if (!climb.references.isNewResult(*function,
                                    {here.reach, here.untyped.size, here.untyped.alignment}))
    return done();
  for (const clang::CallExpr *call : calls) {
    Place use = pointerToField(call, here);
    use.start = call;
    climb.follow(*call, std::move(use));
  }
  return done();
}

} // namespace relayout::rewriter
