// SPDX-License-Identifier: Apache-2.0
// Walks one device function in evaluation order: its expressions. Statements are in
// body_statements.cpp, calls in body_calls.cpp, glvalues in body_accesses.cpp.
#include "model/body_walker.h"

#include "model/code_steps.h"
#include "model/straight_line.h"

#include "relayout/instrument/clang/placement_new.h"

#include <fmt/format.h>

namespace relayout::instrument {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

BodyWalker::BodyWalker(WalkContext &context, SourceFunction &source, FunctionInstance &instance,
                       OnCall onCall)
    : context_(context), source_(source), instance_(instance), onCall_(std::move(onCall)),
      chains_(context), notes_(context, source, instance) {}

void BodyWalker::walkExpression(const clang::Expr *expression, Use use) {
  switch (expression->getStmtClass()) {
  case clang::Stmt::MemberExprClass:
  case clang::Stmt::ArraySubscriptExprClass:
  case clang::Stmt::DeclRefExprClass:
    return walkChain(expression, use);
  case clang::Stmt::ParenExprClass:
    return walk(cast<clang::ParenExpr>(expression)->getSubExpr(), use);
  case clang::Stmt::ExprWithCleanupsClass:
  case clang::Stmt::ConstantExprClass:
    return walk(cast<clang::FullExpr>(expression)->getSubExpr(), use);
  case clang::Stmt::MaterializeTemporaryExprClass:
    return walk(cast<clang::MaterializeTemporaryExpr>(expression)->getSubExpr());
  case clang::Stmt::CXXBindTemporaryExprClass:
    return walk(cast<clang::CXXBindTemporaryExpr>(expression)->getSubExpr());
  case clang::Stmt::UnaryExprOrTypeTraitExprClass:
  case clang::Stmt::CXXNoexceptExprClass:
  case clang::Stmt::CXXTypeidExprClass:
  case clang::Stmt::RequiresExprClass:
  case clang::Stmt::CXXDefaultArgExprClass:
  case clang::Stmt::CXXDefaultInitExprClass:
  case clang::Stmt::SubstNonTypeTemplateParmExprClass:
    return;
  case clang::Stmt::UnaryOperatorClass:
    return walkUnary(cast<clang::UnaryOperator>(expression), use);
  case clang::Stmt::BinaryOperatorClass:
  case clang::Stmt::CompoundAssignOperatorClass:
    return walkBinary(cast<clang::BinaryOperator>(expression), use);
  case clang::Stmt::ConditionalOperatorClass:
    return walkConditional(cast<clang::ConditionalOperator>(expression), use);
  case clang::Stmt::InitListExprClass: {
    const auto *list = cast<clang::InitListExpr>(expression);
    if (const clang::InitListExpr *semantic = list->getSemanticForm())
      list = semantic;
    return walkChildren(list);
  }
  case clang::Stmt::LambdaExprClass:
    return walkLambda(cast<clang::LambdaExpr>(expression));
  case clang::Stmt::CXXNewExprClass:
    return walkNew(*cast<clang::CXXNewExpr>(expression));
  default:
    break;
  }
  if (const auto *call = dyn_cast<clang::CallExpr>(expression))
    return use != Use::None && yieldsElement(*call) ? walkChain(call, use) : walkCall(call, use);
  if (const auto *conversion = dyn_cast<clang::CastExpr>(expression))
    return walkCast(conversion, use);
  if (const auto *construct = dyn_cast<clang::CXXConstructExpr>(expression))
    return walkConstruct(construct);
  walkChildren(expression);
}

/// `new (&p[i]) R(a)` stores an element.
void BodyWalker::walkNew(const clang::CXXNewExpr &creation) {
  const clang::Expr *place = placeOf(creation);
  if (const auto *untyped = dyn_cast_or_null<clang::ImplicitCastExpr>(place);
      untyped && untyped->getCastKind() == clang::CK_BitCast)
    place = untyped->getSubExpr();
  const auto *address = place ? dyn_cast<clang::UnaryOperator>(place->IgnoreParens()) : nullptr;
  const bool isRecord = context_.userRecord(creation.getAllocatedType()) != nullptr;
  const bool isStore = isRecord && address && address->getOpcode() == clang::UO_AddrOf;
  if (isRecord && !isStore)
    notes_.warn(Code::NotTraceable, "a record made by 'new' is written without being traced",
                creation.getBeginLoc());
  if (!place)
    return walkChildren(&creation);
  if (creation.getInitializer())
    walk(creation.getInitializer());
  walk(place, isStore ? Use::Write : Use::None);
}

void BodyWalker::walkUnary(const clang::UnaryOperator *unary, Use use) {
  switch (unary->getOpcode()) {
  case clang::UO_Deref:
    return walkChain(unary, use);
  case clang::UO_AddrOf:
    // A use given to an address is that of a cache-hinted load or store through it.
    return walk(unary->getSubExpr(), use == Use::None ? Use::Address : use);
  case clang::UO_PreInc:
  case clang::UO_PostInc:
  case clang::UO_PreDec:
  case clang::UO_PostDec:
    return walk(unary->getSubExpr(), Use::ReadWrite);
  default:
    return walk(unary->getSubExpr());
  }
}

void BodyWalker::walkConditional(const clang::ConditionalOperator *choice, Use use) {
  clang::ASTContext &ast = context_.unit.ast();
  const auto never = neverRuns(*choice, ast);
  const bool branches = !never && (readsMemory(choice->getTrueExpr(), ast) ||
                                   readsMemory(choice->getFalseExpr(), ast));
  const auto endBranch = [&] {
    if (branches)
      notes_.addStep(trace::code::Branch{.readsMemory = true});
  };
  walk(choice->getCond());
  endBranch();
  walkPart(choice->getTrueExpr(), never, use);
  endBranch();
  walkPart(choice->getFalseExpr(), never, use);
  endBranch();
}

void BodyWalker::walkCast(const clang::CastExpr *conversion, Use use) {
  const clang::Expr *from = conversion->getSubExpr();
  if (use == Use::Read && isa<clang::ExplicitCastExpr>(conversion) && conversion->isGLValue())
    use = Use::ReadInPlace;
  switch (conversion->getCastKind()) {
  case clang::CK_LValueToRValue:
    return walk(from, Use::Read);
  case clang::CK_NoOp:
  case clang::CK_DerivedToBase:
  case clang::CK_UncheckedDerivedToBase:
  case clang::CK_BaseToDerived:
  case clang::CK_ConstructorConversion:
  case clang::CK_UserDefinedConversion:
    return walk(from, use);
  case clang::CK_LValueBitCast:
    return walk(from, Use::Address);
  case clang::CK_ArrayToPointerDecay:
    return walk(from, use == Use::None ? Use::Address : use);
  case clang::CK_BitCast: {
    if (conversion == traced_ && leavesPointeeSize(*conversion, context_.unit.ast())) {
      const clang::Expr *field = fieldBehind(from);
      return field && field->isGLValue() ? walkInside(field) : walkTraced(from);
    }
    const clang::QualType source = from->getType()->getPointeeType();
    const clang::QualType target = conversion->getType()->getPointeeType();
    if (!source.isNull() && !target.isNull() && context_.arrayRecord(source, from) &&
        !context_.unit.ast().hasSameUnqualifiedType(source, target))
      notes_.warn(Code::PointerConverted,
                  fmt::format("a pointer to '{}' becomes '{}': accesses through it are not traced",
                              source.getUnqualifiedType().getAsString(),
                              conversion->getType().getAsString()),
                  conversion->getExprLoc());
    // A load or store through the new type moves other bytes than the old one says.
    return walk(from, Use::None);
  }
  case clang::CK_PointerToIntegral:
    if (context_.arrayRecord(from->getType()->getPointeeType(), from))
      notes_.warn(Code::PointerConverted,
                  "a pointer to a record becomes an integer: accesses through it are not traced",
                  conversion->getExprLoc());
    return walk(from);
  default:
    return walk(from);
  }
}

void BodyWalker::walkBinary(const clang::BinaryOperator *binary, Use use) {
  if (binary->isAssignmentOp()) {
    walk(binary->getRHS());
    walk(binary->getLHS(), binary->isCompoundAssignmentOp() ? Use::ReadWrite : Use::Write);
    if (const auto division = divisionIn(*binary, context_.unit.ast()))
      notes_.addStep(*division);
    return;
  }
  if (binary->isPtrMemOp() && (context_.userRecord(binary->getLHS()->getType()) ||
                               context_.userRecord(binary->getLHS()->getType()->getPointeeType())))
    notes_.warn(Code::NotTraceable, "an access through a pointer to member is not traced",
                binary->getOperatorLoc());
  walk(binary->getLHS());
  clang::ASTContext &ast = context_.unit.ast();
  const auto never = neverRuns(*binary, ast);
  const bool branches = binary->isLogicalOp() && !never && readsMemory(binary->getRHS(), ast);
  if (branches)
    notes_.addStep(trace::code::Branch{.readsMemory = true});
  walkPart(binary->getRHS(), never, binary->getOpcode() == clang::BO_Comma ? use : Use::None);
  if (branches)
    notes_.addStep(trace::code::Branch{.readsMemory = true});
  if (const auto division = divisionIn(*binary, ast))
    notes_.addStep(*division);
}

void BodyWalker::walkConstruct(const clang::CXXConstructExpr *construct) {
  const clang::CXXConstructorDecl *constructor = construct->getConstructor();
  if (constructor->isCopyOrMoveConstructor() && !constructor->isUserProvided())
    return walk(construct->getArg(0), Use::Read);
  for (unsigned i = 0; i < construct->getNumArgs(); ++i) {
    const bool isBound = i < constructor->getNumParams() &&
                         constructor->getParamDecl(i)->getType()->isReferenceType();
    walk(construct->getArg(i),
         isBound ? bindingUse(constructor->getParamDecl(i)->getType()) : Use::None);
  }
  // A declaration has no room for the call's own probe.
  noteCall(constructor, nullptr);
}

void BodyWalker::walkLambda(const clang::LambdaExpr *lambda) {
  const auto *const *captured = lambda->capture_init_begin();
  for (const clang::LambdaCapture &capture : lambda->captures()) {
    const clang::Expr *value = *captured++;
    // The others only name what they hold: there is no text for a probe around it.
    if (capture.capturesVariable() && capture.getCapturedVar()->isInitCapture() &&
        context_.tokens.indexOf(value->getBeginLoc()))
      walk(value);
  }
  // Whoever calls the closure, it is reached from here.
  if (const clang::FunctionTemplateDecl *generic = lambda->getDependentCallOperator()) {
    for (const clang::FunctionDecl *instance : generic->specializations())
      noteCall(instance, nullptr);
  } else {
    noteCall(lambda->getCallOperator(), nullptr);
  }
}

} // namespace relayout::instrument
