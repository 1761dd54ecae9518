// SPDX-License-Identifier: Apache-2.0
// Walks a function's body: every statement and expression has to be of a kind that is known.
#include "legality/effect_walk.h"

#include "legality/accessors.h"
#include "legality/empty_destructors.h"
#include "legality/evaluation_order.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::cast;
using clang::dyn_cast;
using clang::isa;

void EffectWalk::run() {
  if (const auto *constructor = dyn_cast<clang::CXXConstructorDecl>(&record_.function()))
    for (const clang::CXXCtorInitializer *initialiser : constructor->inits())
      walk(initialiser->getInit());
  walk(record_.function().getBody());
}

const clang::Expr *EffectWalk::partOf(const clang::Expr *glvalue) const {
  std::set<const clang::VarDecl *> counters; // each goes over one dimension
  const clang::Expr *part = glvalue->IgnoreParenImpCasts();
  while (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(part)) {
    part = subscript->getBase()->IgnoreParenImpCasts();
    const auto *name = dyn_cast<clang::DeclRefExpr>(subscript->getIdx()->IgnoreParenImpCasts());
    const auto *type =
        dyn_cast_or_null<clang::ConstantArrayType>(part->getType()->getAsArrayTypeUnsafe());
    const auto loop = std::ranges::find_if(
        loops_, [&](const WholeLoop &one) { return name && one.counter == name->getDecl(); });
    if (!type || loop == loops_.end() || loop->iterations != type->getSize().getZExtValue() ||
        !counters.insert(loop->counter).second)
      return glvalue;
  }
  return counters.empty() ? glvalue : part;
}

void EffectWalk::write(const clang::Expr *glvalue) {
  const std::optional<Root> root = rootOf(partOf(glvalue));
  walkIndices(glvalue);
  if (!root) {
    record_.writeBehind(behindPointer(glvalue),
                        "writes to memory that it reaches through a pointer or a reference");
    return walkNames(glvalue);
  }
  record_.write(*root);
}

void EffectWalk::walkIndices(const clang::Expr *glvalue) {
  glvalue = glvalue->IgnoreParenImpCasts();
  if (const auto *member = dyn_cast<clang::MemberExpr>(glvalue)) {
    if (!isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()))
      walkIndices(member->getBase());
  } else if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(glvalue)) {
    walk(subscript->getIdx());
    walkIndices(subscript->getBase());
  } else if (const auto *call = dyn_cast<clang::CallExpr>(glvalue)) {
    const clang::Expr *object = accessedPart(*call).object;
    for (const clang::Expr *argument : call->arguments())
      argument == object ? walkIndices(argument) : walk(argument);
    if (object && isa<clang::CXXMemberCallExpr>(call))
      walkIndices(object);
  }
}

void EffectWalk::read(const clang::Expr *glvalue) {
  if (const std::optional<Root> root = rootOf(partOf(glvalue)))
    record_.read(*root);
  walkIndices(glvalue);
  walkNames(glvalue);
}

void EffectWalk::walkNames(const clang::Expr *glvalue) {
  const clang::Expr *at = glvalue->IgnoreParenImpCasts();
  if (const auto *member = dyn_cast<clang::MemberExpr>(at)) {
    record_.checkName(*member->getMemberDecl());
    if (isa<clang::CXXThisExpr>(member->getBase()->IgnoreParenImpCasts()))
      return;
    return member->isArrow() ? walk(member->getBase()) : walkNames(member->getBase());
  }
  if (const auto *subscript = dyn_cast<clang::ArraySubscriptExpr>(at)) {
    const auto *decay = dyn_cast<clang::ImplicitCastExpr>(subscript->getBase()->IgnoreParens());
    return decay && decay->getCastKind() == clang::CK_ArrayToPointerDecay
               ? walkNames(decay->getSubExpr())
               : walk(subscript->getBase());
  }
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(at))
    return record_.checkName(*name->getDecl());
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(at);
      unary && unary->getOpcode() == clang::UO_Deref &&
      isa<clang::CXXThisExpr>(unary->getSubExpr()->IgnoreParenImpCasts()))
    return;
  walk(at);
}

void EffectWalk::walkConditional(const clang::Stmt *statement) {
  record_.enterCondition();
  walk(statement);
  record_.leaveCondition();
}

void EffectWalk::walkChildren(const clang::Stmt *statement) {
  for (const clang::Stmt *child : statement->children())
    walk(child);
}

void EffectWalk::walk(const clang::Stmt *statement) {
  if (!statement || record_.isStopped())
    return;
  if (const auto *expression = dyn_cast<clang::Expr>(statement))
    return walkExpression(expression);
  switch (statement->getStmtClass()) {
  case clang::Stmt::CompoundStmtClass:
  case clang::Stmt::NullStmtClass:
    return walkChildren(statement);
  case clang::Stmt::BreakStmtClass:
  case clang::Stmt::ContinueStmtClass:
    return;
  case clang::Stmt::ReturnStmtClass:
    walkResult(cast<clang::ReturnStmt>(statement)->getRetValue());
    return record_.noteReturn();
  case clang::Stmt::DeclStmtClass:
    for (const clang::Decl *declared : cast<clang::DeclStmt>(statement)->decls())
      walkVariable(*declared);
    return;
  case clang::Stmt::IfStmtClass:
    return walkIf(*cast<clang::IfStmt>(statement));
  case clang::Stmt::ForStmtClass:
    return walkFor(*cast<clang::ForStmt>(statement));
  case clang::Stmt::WhileStmtClass:
  case clang::Stmt::DoStmtClass:
  case clang::Stmt::SwitchStmtClass:
  case clang::Stmt::CaseStmtClass:
  case clang::Stmt::DefaultStmtClass:
    record_.enterCondition();
    walkChildren(statement);
    record_.leaveCondition();
    return record_.endBranch();
  default:
    return record_.stop(
        fmt::format("has a statement of a kind not followed ({})", statement->getStmtClassName()));
  }
}

void EffectWalk::walkIf(const clang::IfStmt &branch) {
  walk(branch.getInit());
  walk(branch.getConditionVariableDeclStmt());
  walk(branch.getCond());
  walkConditional(branch.getThen());
  walkConditional(branch.getElse());
  record_.endBranch();
}

namespace {

/// Whether an iteration may end the loop, or itself, before the body's end.
bool mayJump(const clang::Stmt *body) {
  return body &&
         (isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt>(body) ||
          std::ranges::any_of(body->children(), mayJump));
}

} // namespace

void EffectWalk::walkFor(const clang::ForStmt &loop) {
  walk(loop.getInit());
  const std::optional<WholeLoop> whole = wholeLoop(loop, program_.unit.ast());
  if (whole && !mayJump(loop.getBody()) && !mayChange(loop.getBody(), {whole->counter})) {
    loops_.push_back(*whole);
    walk(loop.getBody());
    return loops_.pop_back();
  }
  walkConditional(loop.getCond());
  walkConditional(loop.getBody());
  walkConditional(loop.getInc());
  record_.endBranch();
}

/// `return *this;`, `return a;` of a reference pass on what the caller has anyway.
void EffectWalk::walkResult(const clang::Expr *value) {
  if (!value)
    return;
  if (record_.function().getReturnType()->isPointerType())
    return record_.stop("returns a pointer");
  if (record_.function().getReturnType()->isReferenceType() && rootOf(value))
    return walkIndices(value);
  walk(value);
}

void EffectWalk::walkVariable(const clang::Decl &declared) {
  const auto *variable = dyn_cast<clang::VarDecl>(&declared);
  if (!variable || isa<clang::DecompositionDecl>(variable))
    return isa<clang::TypeDecl, clang::StaticAssertDecl, clang::EmptyDecl>(declared)
               ? void()
               : record_.stop("declares something that is not a plain variable");
  if (!variable->hasLocalStorage())
    return record_.stop(fmt::format("has a static variable '{}'", variable->getNameAsString()));
  if (!destroysNothing(program_, variable->getType()))
    return record_.stop(
        fmt::format("has a variable '{}' with a destructor", variable->getNameAsString()));
  if (!variable->getInit())
    return;
  if (variable->getType()->isReferenceType() && rootOf(variable->getInit()))
    return read(variable->getInit());
  walk(variable->getInit());
}

void EffectWalk::walkExpression(const clang::Expr *expression) {
  if (expression->getType().isVolatileQualified())
    return record_.stop("reads what is volatile");
  switch (expression->getStmtClass()) {
  case clang::Stmt::MemberExprClass:
  case clang::Stmt::DeclRefExprClass:
  case clang::Stmt::ArraySubscriptExprClass:
    return read(expression);
  case clang::Stmt::CXXThisExprClass:
    return record_.stop("uses the address of the object it is called on");
  case clang::Stmt::UnaryExprOrTypeTraitExprClass:
  case clang::Stmt::PseudoObjectExprClass: // threadIdx.x
    return;
  case clang::Stmt::UnaryOperatorClass:
    return walkUnary(*cast<clang::UnaryOperator>(expression));
  case clang::Stmt::BinaryOperatorClass:
  case clang::Stmt::CompoundAssignOperatorClass:
    return walkBinary(*cast<clang::BinaryOperator>(expression));
  case clang::Stmt::ConditionalOperatorClass: {
    const auto *choice = cast<clang::ConditionalOperator>(expression);
    walk(choice->getCond());
    walkConditional(choice->getTrueExpr());
    return walkConditional(choice->getFalseExpr());
  }
  case clang::Stmt::CXXBindTemporaryExprClass:
    return destroysNothing(program_, expression->getType())
               ? walkChildren(expression)
               : record_.stop("has a temporary with a destructor");
  case clang::Stmt::CXXDefaultArgExprClass:
    return walk(cast<clang::CXXDefaultArgExpr>(expression)->getExpr());
  case clang::Stmt::CXXDefaultInitExprClass:
    return walk(cast<clang::CXXDefaultInitExpr>(expression)->getExpr());
  case clang::Stmt::InitListExprClass: {
    const auto *list = cast<clang::InitListExpr>(expression);
    return walkChildren(list->getSemanticForm() ? list->getSemanticForm() : list);
  }
  case clang::Stmt::ParenExprClass:
  case clang::Stmt::ExprWithCleanupsClass:
  case clang::Stmt::ConstantExprClass:
  case clang::Stmt::MaterializeTemporaryExprClass:
  case clang::Stmt::SubstNonTypeTemplateParmExprClass:
  case clang::Stmt::IntegerLiteralClass:
  case clang::Stmt::FloatingLiteralClass:
  case clang::Stmt::CharacterLiteralClass:
  case clang::Stmt::StringLiteralClass:
  case clang::Stmt::CXXBoolLiteralExprClass:
  case clang::Stmt::CXXNullPtrLiteralExprClass:
  case clang::Stmt::ImplicitValueInitExprClass:
  case clang::Stmt::CXXScalarValueInitExprClass:
  case clang::Stmt::ArrayInitLoopExprClass:
  case clang::Stmt::ArrayInitIndexExprClass:
  case clang::Stmt::PredefinedExprClass: // `__func__`, `__LINE__`: what assert tells
  case clang::Stmt::SourceLocExprClass:
    return walkChildren(expression);
  default:
    break;
  }
  if (const auto *conversion = dyn_cast<clang::CastExpr>(expression))
    return walkCast(*conversion);
  if (const auto *call = dyn_cast<clang::CallExpr>(expression))
    return CallWalk(*this).walkCall(*call);
  if (const auto *construction = dyn_cast<clang::CXXConstructExpr>(expression))
    return CallWalk(*this).walkConstruction(*construction);
  record_.stop(
      fmt::format("has an expression of a kind not followed ({})", expression->getStmtClassName()));
}

void EffectWalk::walkUnary(const clang::UnaryOperator &unary) {
  if (unary.isIncrementDecrementOp())
    return write(unary.getSubExpr());
  if (unary.getOpcode() == clang::UO_AddrOf)
    return record_.stop("takes an address");
  if (unary.getOpcode() == clang::UO_Deref && rootOf(&unary))
    return read(&unary); // *this
  walk(unary.getSubExpr());
}

void EffectWalk::walkBinary(const clang::BinaryOperator &binary) {
  if (binary.isPtrMemOp())
    return record_.stop("uses a pointer to a member");
  if (binary.isAssignmentOp()) {
    walk(binary.getRHS());
    return write(binary.getLHS());
  }
  walk(binary.getLHS());
  return binary.isLogicalOp() ? walkConditional(binary.getRHS()) : walk(binary.getRHS());
}

void EffectWalk::walkCast(const clang::CastExpr &conversion) {
  switch (conversion.getCastKind()) {
  case clang::CK_BitCast:
  case clang::CK_LValueBitCast:
  case clang::CK_LValueToRValueBitCast:
  case clang::CK_PointerToIntegral:
  case clang::CK_IntegralToPointer:
  case clang::CK_AddressSpaceConversion:
  case clang::CK_Dynamic:
    return record_.stop("casts between types of pointers");
  case clang::CK_ArrayToPointerDecay:
    if (const std::optional<Root> root = rootOf(conversion.getSubExpr());
        root && record_.tracked().has(*root))
      return record_.stop("takes the address of an array member");
    break;
  default:
    break;
  }
  walk(conversion.getSubExpr());
}

} // namespace relayout::rewriter
