// SPDX-License-Identifier: Apache-2.0
// Functions of a program's own that do what std::swap does.
#include "relayout/instrument/clang/pointer_exchange.h"

#include <clang/AST/DeclTemplate.h>
#include <clang/AST/Expr.h>
#include <clang/AST/Stmt.h>

namespace relayout::instrument {

using clang::dyn_cast;
using clang::dyn_cast_or_null;

namespace {

bool isMove(const clang::CallExpr *call) {
  const clang::FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return callee && callee->isInStdNamespace() && callee->getDeclName().isIdentifier() &&
         callee->getName() == "move" && call->getNumArgs() == 1;
}

/// The variable that an expression names, moved or not; null: it is more than a name.
const clang::ValueDecl *movedName(const clang::Expr *expression) {
  expression = expression ? expression->IgnoreParenImpCasts() : nullptr;
  if (const auto *call = dyn_cast_or_null<clang::CallExpr>(expression); isMove(call))
    expression = call->getArg(0)->IgnoreParenImpCasts();
  const auto *name = dyn_cast_or_null<clang::DeclRefExpr>(expression);
  return name ? name->getDecl() : nullptr;
}

bool assigns(const clang::Stmt *statement, const clang::ValueDecl *to,
             const clang::ValueDecl *from) {
  const auto *assignment = dyn_cast<clang::BinaryOperator>(statement);
  return assignment && assignment->getOpcode() == clang::BO_Assign &&
         movedName(assignment->getLHS()) == to && movedName(assignment->getRHS()) == from;
}

} // namespace

bool exchangesPointers(const clang::CallExpr &call) {
  const clang::FunctionDecl *callee = call.getDirectCallee();
  const clang::FunctionTemplateDecl *primary = callee ? callee->getPrimaryTemplate() : nullptr;
  const auto *name = dyn_cast<clang::DeclRefExpr>(call.getCallee()->IgnoreParenImpCasts());
  // What is specialized for pointers is not what views would get.
  if (!primary || callee->getNumParams() != 2 || (name && name->hasExplicitTemplateArgs()) ||
      callee->getTemplateSpecializationKind() == clang::TSK_ExplicitSpecialization)
    return false;
  const clang::ParmVarDecl *a = callee->getParamDecl(0), *b = callee->getParamDecl(1);
  for (unsigned i = 0; i < 2; ++i) {
    const clang::QualType written = primary->getTemplatedDecl()->getParamDecl(i)->getType();
    const clang::QualType given = callee->getParamDecl(i)->getType();
    if (!written->isLValueReferenceType() || !written->getPointeeType()->isTemplateTypeParmType() ||
        !given->getPointeeType()->isPointerType() || given != a->getType())
      return false;
  }
  const auto *body = dyn_cast_or_null<clang::CompoundStmt>(callee->getBody());
  constexpr unsigned kStatements = 3; // one keeps a pointer, two assign
  const auto *first =
      body && body->size() == kStatements ? dyn_cast<clang::DeclStmt>(body->body_front()) : nullptr;
  const auto *kept =
      first && first->isSingleDecl() ? dyn_cast<clang::VarDecl>(first->getSingleDecl()) : nullptr;
  if (!kept || !kept->hasLocalStorage() || !kept->getType()->isPointerType())
    return false;
  const clang::ValueDecl *lost = movedName(kept->getInit()), *other = lost == a ? b : a;
  return (lost == a || lost == b) && assigns(body->body_begin()[1], lost, other) &&
         assigns(body->body_begin()[2], other, kept);
}

} // namespace relayout::instrument
