// SPDX-License-Identifier: Apache-2.0
// Types that `decltype(auto)` takes from an access: a field's own, where a view's function returns
// a reference to it; an element's.
#include "rules/deduced_types.h"

namespace relayout::rewriter {
namespace {

using clang::dyn_cast_or_null;
using clang::isa;

bool isDeduced(clang::QualType type) {
  const clang::AutoType *deduced = type->getContainedAutoType();
  return deduced && deduced->isDecltypeAuto();
}

/// Whether the value of an expression, or what it refers to, is that of a part of it.
bool passesOn(const clang::Stmt &expression, const clang::Stmt &part) {
  if (const auto *choice = clang::dyn_cast<clang::ConditionalOperator>(&expression))
    return choice->getCond() != &part;
  if (const auto *operation = clang::dyn_cast<clang::BinaryOperator>(&expression))
    return (operation->getOpcode() == clang::BO_Comma && operation->getRHS() == &part) ||
           (operation->isAssignmentOp() && operation->getLHS() == &part);
  if (const auto *subscript = clang::dyn_cast<clang::ArraySubscriptExpr>(&expression))
    return subscript->getBase() == &part;
  return isa<clang::MemberExpr, clang::ParenExpr, clang::ImplicitCastExpr, clang::CXXConstructExpr,
             clang::ExprWithCleanups, clang::MaterializeTemporaryExpr, clang::UnaryOperator>(
      expression);
}

} // namespace

bool decidesDeducedType(const Program &program, const clang::Expr &name,
                        const clang::FunctionDecl *around) {
  bool isAccess = false;
  const clang::Stmt *current = &name;
  Parent parent = program.index.parentOf(current);
  while (parent.stmt && passesOn(*parent.stmt, *current)) {
    isAccess |= isa<clang::MemberExpr>(parent.stmt);
    current = parent.stmt;
    parent = program.index.parentOf(current);
  }
  if (const auto *whole = clang::dyn_cast<clang::Expr>(current))
    isAccess |= whole->getType()->isRecordType(); // an element
  if (!isAccess)
    return false;
  if (isa_and_nonnull<clang::ReturnStmt>(parent.stmt))
    return around && isDeduced(around->getReturnType());
  const auto *variable = dyn_cast_or_null<clang::VarDecl>(parent.decl);
  return variable && isDeduced(variable->getType());
}

} // namespace relayout::rewriter
