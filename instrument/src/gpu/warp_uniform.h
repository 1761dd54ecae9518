// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what is sure to be uniform across a warp, and which loops all lanes that enter them
// run the same number of times.
#pragma once

#include "gpu/variable_uses.h"

#include <clang/AST/StmtCXX.h>

namespace relayout::instrument {

/// Whether control can leave this statement for elsewhere than the next one.
[[nodiscard]] bool jumpsOut(const clang::Stmt *statement);

/// Whether control can leave a loop from within this body, but for a `continue`.
[[nodiscard]] bool jumpsOutOfLoop(const clang::Stmt *body);

/// What is uniform across a warp, within one function, from its text alone: constants, the
/// parameters of a kernel, the place and shape of block and grid, variables that are made of these
/// once, and the counters of loops around.
class WarpUniformity {
public:
  using Variables = VariableUses::Variables;

  /// \param uses  of the variables in this function
  WarpUniformity(const clang::ASTContext &context, const clang::FunctionDecl *function,
                 const VariableUses &uses);

  /// Whether the expression has one value for all lanes that evaluate it together.
  /// \param counters  of loops around, that are known to be uniform here
  [[nodiscard]] bool isUniform(const clang::Expr *expression, const Variables &counters) const;

  /// The counters of this loop if all lanes that enter it together make the same number of
  /// iterations: a `for` whose counters only its own head changes, by what is uniform, and out of
  /// which nothing jumps. Else nothing.
  [[nodiscard]] Variables uniformCounters(const clang::ForStmt *loop,
                                          const Variables &counters) const;

private:
  [[nodiscard]] bool isUniform(const clang::VarDecl *variable, const Variables &counters) const;
  [[nodiscard]] bool stepsUniformly(const clang::Expr *increment, const Variables &stepped,
                                    const Variables &counters) const;

  const clang::ASTContext &context_;
  const clang::FunctionDecl *function_;
  const VariableUses &uses_;
};

} // namespace relayout::instrument
