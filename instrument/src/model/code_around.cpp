// SPDX-License-Identifier: Apache-2.0
// Goes outwards from an expression.
#include "model/code_around.h"

#include "model/vector_expressions.h"

#include <algorithm>

namespace relayout::instrument {

CodeAround::Holder CodeAround::holderOf(const clang::Expr &expression) const {
  Holder holder;
  holder.held = &expression;
  std::size_t depth = statements.size();
  while (depth != 0 && addsNothing(*statements[depth - 1]))
    holder.held = statements[--depth];
  holder.statement = depth != 0 ? statements[depth - 1] : nullptr;
  holder.beyond = depth > 1 ? statements[depth - 2] : nullptr;
  return holder;
}

CodeAround::Holder CodeAround::beyond(const Holder &holder, const clang::Expr &inside) const {
  Holder outer;
  outer.held = &inside;
  const auto at = std::ranges::find(statements, holder.statement);
  auto depth = static_cast<std::size_t>(at - statements.begin());
  while (depth != 0 && addsNothing(*statements[depth - 1]))
    outer.held = statements[--depth];
  outer.statement = depth != 0 ? statements[depth - 1] : nullptr;
  return outer;
}

bool CodeAround::isDiscarded(const Holder &holder) {
  const clang::Stmt *around = holder.statement;
  if (!around || clang::isa<clang::CompoundStmt>(around))
    return around != nullptr;
  if (const auto *branch = clang::dyn_cast<clang::IfStmt>(around))
    return holder.held == branch->getThen() || holder.held == branch->getElse();
  if (const auto *loop = clang::dyn_cast<clang::ForStmt>(around))
    return holder.held == loop->getBody() || holder.held == loop->getInc();
  if (const auto *loop = clang::dyn_cast<clang::WhileStmt>(around))
    return holder.held == loop->getBody();
  return false;
}

} // namespace relayout::instrument
