// SPDX-License-Identifier: Apache-2.0
// Looks at every use of the variable in the loop, and for addresses of it in its function.
#include "model/span_ranges.h"

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/ExprCXX.h>

#include <algorithm>

namespace relayout::instrument {
namespace {

using clang::dyn_cast;
using clang::dyn_cast_or_null;
using clang::isa;

/// Whose part an expression names by `.`; null where it is no variable's.
const clang::VarDecl *variableOf(const clang::Expr *expression) {
  expression = expression->IgnoreParenImpCasts();
  while (const auto *member = dyn_cast<clang::MemberExpr>(expression)) {
    if (member->isArrow() || !isa<clang::FieldDecl>(member->getMemberDecl()))
      return nullptr;
    expression = member->getBase()->IgnoreParenImpCasts();
  }
  const auto *name = dyn_cast<clang::DeclRefExpr>(expression);
  return name ? dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
}

/// What an expression only reads: the object of a const function, a value, what is copied.
const clang::Expr *readBy(const clang::Stmt &statement) {
  if (const auto *cast = dyn_cast<clang::ImplicitCastExpr>(&statement))
    return cast->getCastKind() == clang::CK_LValueToRValue ||
                   (cast->getCastKind() == clang::CK_NoOp && cast->getType().isConstQualified())
               ? cast->getSubExpr()
               : nullptr;
  const auto *call = dyn_cast<clang::CallExpr>(&statement);
  const auto *method =
      dyn_cast_or_null<clang::CXXMethodDecl>(call ? call->getDirectCallee() : nullptr);
  if (!method || !method->isConst())
    return nullptr;
  if (const auto *member = dyn_cast<clang::CXXMemberCallExpr>(call))
    return member->getImplicitObjectArgument();
  return isa<clang::CXXOperatorCallExpr>(call) ? call->getArg(0) : nullptr;
}

bool mayChange(const clang::Stmt *statement, const clang::VarDecl &variable) {
  if (!statement)
    return false;
  if (const auto *name = dyn_cast<clang::DeclRefExpr>(statement))
    return name->getDecl() == &variable;
  const clang::Expr *read = readBy(*statement);
  return std::ranges::any_of(statement->children(), [&](const clang::Stmt *child) {
    const auto *callee = dyn_cast_or_null<clang::MemberExpr>(child); // `s.size` of `s.size()`
    const bool isRead = read && (child == read || (callee && callee->getBase() == read));
    return !(isRead && variableOf(read) == &variable) && mayChange(child, variable);
  });
}

/// A pointer or reference to the variable may be kept.
bool mayBeReached(const clang::Stmt *statement, const clang::VarDecl &variable) {
  if (!statement)
    return false;
  if (const auto *unary = dyn_cast<clang::UnaryOperator>(statement);
      unary && unary->getOpcode() == clang::UO_AddrOf &&
      variableOf(unary->getSubExpr()) == &variable)
    return true;
  if (const auto *lambda = dyn_cast<clang::LambdaExpr>(statement))
    for (const clang::LambdaCapture &capture : lambda->captures())
      if (capture.capturesVariable() && capture.getCaptureKind() == clang::LCK_ByRef &&
          capture.getCapturedVar() == &variable)
        return true;
  if (const auto *declarations = dyn_cast<clang::DeclStmt>(statement))
    for (const clang::Decl *declared : declarations->decls())
      if (const auto *reference = dyn_cast<clang::VarDecl>(declared);
          reference && reference->getType()->isReferenceType() && reference->getInit() &&
          !reference->isCXXForRangeImplicitVar() && variableOf(reference->getInit()) == &variable)
        return true;
  return std::ranges::any_of(statement->children(), [&](const clang::Stmt *child) {
    return mayBeReached(child, variable);
  });
}

} // namespace

bool visitsUnchangedVariable(const clang::CXXForRangeStmt &loop) {
  const clang::VarDecl *variable = variableOf(loop.getRangeInit());
  if (!variable || !variable->hasLocalStorage() || variable->getType()->isReferenceType())
    return false;
  const auto *function = dyn_cast<clang::FunctionDecl>(variable->getDeclContext());
  return function && function->hasBody() && !mayChange(loop.getBody(), *variable) &&
         !mayBeReached(function->getBody(), *variable);
}

} // namespace relayout::instrument
