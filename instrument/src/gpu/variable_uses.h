// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what a function does to its variables.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <set>

namespace relayout::instrument {

/// What one function's text, lambdas in it included, does to the variables that it names.
struct VariableUses {
  using Variables = std::set<const clang::VarDecl *>;

  /// Changed, or handed out by address or reference so that others may. Without the counters of
  /// `for` loops that only the loop's own head steps.
  Variables changed;
  /// Those of `changed` that are not only stepped, by ++, --, += and -=: pointers among them may
  /// come to point into other memory.
  Variables reassigned;
  Variables headed; ///< made in the head of a `for` loop
};

[[nodiscard]] VariableUses usesIn(const clang::FunctionDecl *function);

/// The variable that this names, itself or one of its members; null if it names none.
[[nodiscard]] const clang::VarDecl *namedVariable(const clang::Expr *expression);

/// The variables that the head of a loop makes.
[[nodiscard]] VariableUses::Variables madeBy(const clang::ForStmt *loop);

/// The variable that ++, --, += or the like steps; null if this is no such expression.
[[nodiscard]] const clang::VarDecl *steppedVariable(const clang::Expr *expression);

} // namespace relayout::instrument
