// SPDX-License-Identifier: Apache-2.0
// What stands around the expression that a walk has reached.
#pragma once

#include <clang/AST/Expr.h>

#include <vector>

namespace relayout::instrument {

struct CodeAround {
  std::vector<const clang::Stmt *> statements; ///< from outside

  /// What holds an expression, behind the nodes that add nothing.
  struct Holder {
    const clang::Stmt *statement = nullptr; ///< null: there is nothing around it
    const clang::Stmt *held = nullptr;      ///< its child around the expression
    const clang::Stmt *beyond = nullptr;    ///< what holds the statement
  };

  [[nodiscard]] Holder holderOf(const clang::Expr &expression) const;
  /// What holds the holder.
  [[nodiscard]] Holder beyond(const Holder &holder, const clang::Expr &inside) const;
  /// Nothing takes the value.
  [[nodiscard]] static bool isDiscarded(const Holder &holder);
};

} // namespace relayout::instrument
