// SPDX-License-Identifier: Apache-2.0
// Elements of rows, for the rules that go from a pointer to an element.
#pragma once

#include "rules/climb.h"

namespace relayout::rewriter {

/// `p[i][k]` that `p[i]` is a part of; `p[i]` itself where the array has no rows; null where the
/// row is used in another way.
[[nodiscard]] const clang::ArraySubscriptExpr *
elementOfRows(const Climb &climb, const clang::ArraySubscriptExpr &outermost);

/// A row that is no part of an element: its size may be asked for.
[[nodiscard]] Step wholeRow(const Climb &climb, const clang::Expr &row);

} // namespace relayout::rewriter
