// SPDX-License-Identifier: Apache-2.0
// Device code that reads and writes volatile memory: lanes of a warp see one another there, so that
// programs rely on them going in step.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <vector>

namespace relayout::instrument {

struct VolatileAccess {
  const clang::Expr *expression = nullptr; ///< loads: what is read; stores: the assignment
  bool isStore = false;                    ///< and the expression names the object stored to
};

/// Accesses to volatile scalars in a function's body, but for variables of the thread's own; and
/// what it loads by `cuda::atomic` and its kin.
[[nodiscard]] std::vector<VolatileAccess> volatileAccesses(const clang::Stmt *body);

} // namespace relayout::instrument
