// SPDX-License-Identifier: Apache-2.0
// How much arithmetic stands around the traced accesses.
#pragma once

#include "relayout/trace/operations.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Decl.h>

#include <functional>
#include <map>

namespace relayout::instrument {

/// Operations of one thread, accesses to records left out.
struct OperationCounts {
  trace::Operations outside; ///< once a call, outside the loops below
  /// Once an iteration, of each loop whose iterations a trace counts. Other loops are part of what
  /// is around them, as often as they can be seen to run, or once.
  std::map<const clang::Stmt *, trace::Operations> inLoop;
};

using LoopTest = std::function<bool(const clang::Stmt &loop)>;

/// Follows calls into functions with a body.
/// \param isCounted  whether a trace counts the iterations of a loop
[[nodiscard]] OperationCounts countOperations(const clang::FunctionDecl &function,
                                              clang::ASTContext &context,
                                              const LoopTest &isCounted);

} // namespace relayout::instrument
