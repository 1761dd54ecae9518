// SPDX-License-Identifier: Apache-2.0
// Device code that overwrites shared memory with no barrier since it was read there: a race that
// a GPU's warps, which are about equally far, seldom lose.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <vector>

namespace relayout::instrument {

struct UnguardedStore {
  const clang::Expr *value = nullptr; ///< that is assigned; of `++s` the variable
  bool isStep = false;                ///< `++` or `--`
};

/// What a function stores by assignment, `++` or `--` to elements of `__shared__` variables which,
/// on some path, have been read since the last barrier or `__syncwarp`, by whichever thread. So is
/// what local pointers that begin in such a variable lead to.
/// \param function  with a body that depends on no template parameter
[[nodiscard]] std::vector<UnguardedStore> unguardedStores(const clang::FunctionDecl &function);

} // namespace relayout::instrument
