// SPDX-License-Identifier: Apache-2.0
// The conditions that hold wherever an access is reached.
#include "coordinates/guards.h"

#include <clang/AST/Expr.h>

#include <algorithm>

namespace relayout::rewriter {

using clang::dyn_cast;
using clang::isa;

namespace {

/// True where what follows a statement is never reached from it.
bool leaves(const clang::Stmt *statement) {
  if (const auto *compound = dyn_cast_or_null<clang::CompoundStmt>(statement))
    return !compound->body_empty() && leaves(compound->body_back());
  return isa_and_nonnull<clang::ReturnStmt, clang::ContinueStmt, clang::BreakStmt>(statement);
}

/// True where a `switch` further out may jump into the statement.
bool isJumpedInto(const clang::Stmt *statement) {
  if (!statement || isa<clang::SwitchStmt>(statement))
    return false;
  if (isa<clang::SwitchCase>(statement))
    return true;
  return std::ranges::any_of(statement->children(), isJumpedInto);
}

class Walk {
public:
  Walk(const FunctionBody &body, const clang::Expr &access) : body_(body), access_(access) {}

  std::vector<Guard> run() {
    const clang::Stmt *inner = &access_;
    for (const clang::Stmt *outer = body_.parentOf(inner); outer;
         inner = outer, outer = body_.parentOf(outer))
      step(*inner, *outer);
    std::ranges::reverse(guards_);
    return std::move(guards_);
  }

private:
  void step(const clang::Stmt &inner, const clang::Stmt &outer) {
    if (isa<clang::SwitchStmt>(outer))
      isBehindCase_ = false;
    else if (isa<clang::SwitchCase>(outer))
      isBehindCase_ = true;
    if (const auto *branch = dyn_cast<clang::IfStmt>(&outer)) {
      if (&inner == branch->getThen() || &inner == branch->getElse())
        add(branch->getCond(), &inner == branch->getThen());
    } else if (const auto *loop = dyn_cast<clang::ForStmt>(&outer)) {
      if (&inner == loop->getBody())
        add(loop->getCond(), true);
    } else if (const auto *repeated = dyn_cast<clang::WhileStmt>(&outer)) {
      if (&inner == repeated->getBody())
        add(repeated->getCond(), true);
    } else if (const auto *choice = dyn_cast<clang::ConditionalOperator>(&outer)) {
      if (&inner != choice->getCond())
        add(choice->getCond(), &inner == choice->getTrueExpr());
    } else if (const auto *both = dyn_cast<clang::BinaryOperator>(&outer)) {
      if (both->isLogicalOp() && &inner == both->getRHS())
        add(both->getLHS(), both->getOpcode() == clang::BO_LAnd);
    } else if (const auto *compound = dyn_cast<clang::CompoundStmt>(&outer)) {
      before(inner, *compound);
    }
  }

  /// Statements in front of `inner`, the nearest first.
  void before(const clang::Stmt &inner, const clang::CompoundStmt &compound) {
    const clang::Stmt *const *own = std::find(compound.body_begin(), compound.body_end(), &inner);
    while (own != compound.body_begin()) {
      const clang::Stmt *earlier = *--own;
      if (isJumpedInto(earlier)) {
        isBehindCase_ = true;
        return;
      }
      const auto *branch = dyn_cast<clang::IfStmt>(earlier);
      if (!branch || branch->isConsteval())
        continue;
      if (leaves(branch->getThen()) && !leaves(branch->getElse()))
        add(branch->getCond(), false);
      else if (!leaves(branch->getThen()) && leaves(branch->getElse()))
        add(branch->getCond(), true);
    }
  }

  /// Nothing between a case and its switch need have been evaluated.
  void add(const clang::Expr *condition, bool holds) {
    if (condition && !isBehindCase_)
      guards_.push_back({condition, holds});
  }

  const FunctionBody &body_;
  const clang::Expr &access_;
  std::vector<Guard> guards_;
  bool isBehindCase_ = false;
};

} // namespace

std::vector<Guard> guardsOf(const FunctionBody &body, const clang::Expr &access) {
  if (body.hasLabels())
    return {};
  return Walk(body, access).run();
}

} // namespace relayout::rewriter
