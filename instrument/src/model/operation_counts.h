// SPDX-License-Identifier: Apache-2.0
// How much arithmetic stands around the traced accesses.
#pragma once

#include "relayout/trace/operations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>

namespace relayout::instrument {

/// Operations of one thread, accesses to records left out.
struct OperationCounts {
  trace::Operations outside; ///< once a call, outside the loops below
  /// Once an iteration, of each loop with accesses to records in it. Other loops are part of what
  /// is around them, as often as they can be seen to run, or once.
  std::map<const clang::Stmt *, trace::Operations> inLoop;
};

/// Follows calls into functions with a body.
[[nodiscard]] OperationCounts countOperations(const clang::FunctionDecl &function,
                                              clang::ASTContext &context);

} // namespace relayout::instrument
