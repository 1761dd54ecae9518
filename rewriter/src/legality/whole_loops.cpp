// SPDX-License-Identifier: Apache-2.0
// Reads the head of a loop.
#include "legality/whole_loops.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::dyn_cast_or_null;

std::optional<WholeLoop> wholeLoop(const clang::ForStmt &loop, const clang::ASTContext &ast) {
  const auto *start = dyn_cast_or_null<clang::DeclStmt>(loop.getInit());
  const auto *counter =
      start && start->isSingleDecl() ? dyn_cast<clang::VarDecl>(start->getSingleDecl()) : nullptr;
  const auto *test = dyn_cast_or_null<clang::BinaryOperator>(loop.getCond());
  const auto *step = dyn_cast_or_null<clang::UnaryOperator>(loop.getInc());
  const auto isCounter = [&](const clang::Expr *expression) {
    const auto *name = dyn_cast<clang::DeclRefExpr>(expression->IgnoreParenImpCasts());
    return name && name->getDecl() == counter;
  };
  const auto numberOf = [&](const clang::Expr *expression) {
    return expression && !expression->isValueDependent() ? expression->getIntegerConstantExpr(ast)
                                                         : std::nullopt;
  };
  if (!counter || !counter->getType()->isIntegerType() || !test ||
      (test->getOpcode() != clang::BO_LT && test->getOpcode() != clang::BO_NE) ||
      !isCounter(test->getLHS()) || !step || !step->isIncrementOp() ||
      !isCounter(step->getSubExpr()))
    return std::nullopt;
  const auto first = numberOf(counter->getInit()), end = numberOf(test->getRHS());
  if (!first || !first->isZero() || !end || !end->isStrictlyPositive())
    return std::nullopt;
  return WholeLoop{counter, end->getZExtValue()};
}

} // namespace relayout::rewriter
