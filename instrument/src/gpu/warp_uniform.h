// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what all lanes of a warp are sure to agree on, and which loops all lanes that enter
// them run the same number of times.
#pragma once

#include "gpu/variable_uses.h"

#include <clang/AST/StmtCXX.h>

namespace relayout::instrument {

/// Whether control can leave this statement for elsewhere than the next one.
/// \param keepsContinue  a `continue` in it goes on inside of it, as in a loop
/// \param keepsBreak     a `break` does, as in a loop or switch
[[nodiscard]] bool jumpsOut(const clang::Stmt *statement, bool keepsContinue = false,
                            bool keepsBreak = false);

/// Says what lanes agree on, within one function, from its text alone: constants, the parameters
/// of a kernel, the place and shape of block and grid, variables that are made of these once, and
/// the counters of loops around.
class EqualLanes {
public:
  using Variables = VariableUses::Variables;

  /// \param uses  of the variables in this function
  EqualLanes(const clang::ASTContext &context, const clang::FunctionDecl *function,
             const VariableUses &uses);

  /// Whether the expression has one value for all lanes that evaluate it together.
  /// \param counters  of loops around, that lanes are known to agree on here
  [[nodiscard]] bool agreeOn(const clang::Expr *expression, const Variables &counters) const;

  /// The counters of this loop if all lanes that enter it together make the same number of turns:
  /// a `for` whose counters only its own head changes, by what lanes agree on, and out of which
  /// nothing jumps. Else nothing.
  [[nodiscard]] Variables agreedCounters(const clang::ForStmt *loop,
                                         const Variables &counters) const;

private:
  [[nodiscard]] bool agreeOn(const clang::VarDecl *variable, const Variables &counters) const;
  [[nodiscard]] bool stepsAlike(const clang::Expr *increment, const Variables &stepped,
                                const Variables &counters) const;

  const clang::ASTContext &context_;
  const clang::FunctionDecl *function_;
  const VariableUses &uses_;
};

} // namespace relayout::instrument
