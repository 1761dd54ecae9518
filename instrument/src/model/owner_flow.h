// SPDX-License-Identifier: Apache-2.0
// Pointers that pass from one object that owns an array to another.
#pragma once

#include "model/flow_graph.h"

#include <clang/AST/Expr.h>

namespace relayout::instrument {

/// What an object owns may pass to one of another type: a std::unique_ptr<R[], D> becomes a
/// std::shared_ptr<R>, or one with another deleter.
/// \param callee   that may take objects over
/// \param objects  its arguments
void joinOwners(const clang::FunctionDecl &callee, llvm::ArrayRef<const clang::Expr *> objects,
                FlowGraph &graph);

} // namespace relayout::instrument
