// SPDX-License-Identifier: Apache-2.0
// How much arithmetic stands around the traced accesses: an estimate from the source.
#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <map>

namespace relayout::instrument {

/// Machine instructions of one thread, accesses to records left out.
struct OperationCounts {
  double outside = 0; ///< once a call, outside the loops below
  /// Once an iteration, of each loop with accesses to records in it. Other loops are part of what
  /// is around them, as often as they can be seen to turn, or once.
  std::map<const clang::Stmt *, double> inLoop;
};

/// Follows calls into functions with a body. Of two branches the longer one counts.
[[nodiscard]] OperationCounts countOperations(const clang::FunctionDecl &function,
                                              clang::ASTContext &context);

} // namespace relayout::instrument
