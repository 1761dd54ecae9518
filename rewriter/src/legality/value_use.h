// SPDX-License-Identifier: Apache-2.0
// What becomes of an expression's value: tested, or discarded.
#pragma once

#include "pass/parent_index.h"

namespace relayout::rewriter {

/// True where the value is converted to bool by the language itself, as in `if` and `!`.
[[nodiscard]] bool isTested(const ParentIndex &index, const clang::Expr &condition);

/// True where nothing looks at the value: a statement of its own, the left of a comma.
[[nodiscard]] bool isDiscarded(const ParentIndex &index, const clang::Stmt &expression);

} // namespace relayout::rewriter
