// SPDX-License-Identifier: Apache-2.0
// What becomes of an expression's value.
#include "legality/value_use.h"

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

bool isTested(const ParentIndex &index, const clang::Expr &condition) {
  const clang::Stmt *current = &condition;
  while (true) {
    const clang::Stmt *parent = index.parentOf(current).stmt;
    if (!parent)
      return false;
    if (const auto *test = dyn_cast<clang::IfStmt>(parent))
      return test->getCond() == current;
    if (const auto *loop = dyn_cast<clang::WhileStmt>(parent))
      return loop->getCond() == current;
    if (const auto *loop = dyn_cast<clang::ForStmt>(parent))
      return loop->getCond() == current;
    if (const auto *loop = dyn_cast<clang::DoStmt>(parent))
      return loop->getCond() == current;
    if (const auto *choice = dyn_cast<clang::ConditionalOperator>(parent))
      return choice->getCond() == current;
    if (const auto *unary = dyn_cast<clang::UnaryOperator>(parent))
      return unary->getOpcode() == clang::UO_LNot;
    if (const auto *binary = dyn_cast<clang::BinaryOperator>(parent))
      return binary->isLogicalOp();
    if (!isa<clang::ParenExpr, clang::FullExpr>(parent))
      return false;
    current = parent;
  }
}

namespace {

/// Whether a statement runs the expression and drops its value.
bool isStatementOf(const ParentIndex &index, const clang::Stmt &around, const clang::Stmt *inner) {
  if (isa<clang::CompoundStmt>(around))
    return !isa_and_nonnull<clang::StmtExpr>(index.parentOf(&around).stmt);
  if (const auto *test = dyn_cast<clang::IfStmt>(&around))
    return test->getThen() == inner || test->getElse() == inner;
  if (const auto *loop = dyn_cast<clang::ForStmt>(&around))
    return loop->getBody() == inner || loop->getInit() == inner || loop->getInc() == inner;
  if (const auto *loop = dyn_cast<clang::WhileStmt>(&around))
    return loop->getBody() == inner;
  if (const auto *loop = dyn_cast<clang::DoStmt>(&around))
    return loop->getBody() == inner;
  if (const auto *loop = dyn_cast<clang::CXXForRangeStmt>(&around))
    return loop->getBody() == inner;
  if (const auto *label = dyn_cast<clang::CaseStmt>(&around))
    return label->getSubStmt() == inner;
  return isa<clang::DefaultStmt, clang::LabelStmt>(around);
}

} // namespace

bool isDiscarded(const ParentIndex &index, const clang::Stmt &expression) {
  const clang::Stmt *current = &expression;
  const clang::Stmt *parent = index.parentOf(current).stmt;
  while (isa_and_nonnull<clang::FullExpr, clang::ParenExpr>(parent)) {
    current = parent;
    parent = index.parentOf(current).stmt;
  }
  if (!parent)
    return false;
  if (const auto *cast = dyn_cast<clang::CastExpr>(parent))
    return cast->getCastKind() == clang::CK_ToVoid;
  if (const auto *binary = dyn_cast<clang::BinaryOperator>(parent))
    return binary->getOpcode() == clang::BO_Comma && binary->getLHS() == current;
  return isStatementOf(index, *parent, current);
}

} // namespace relayout::rewriter
