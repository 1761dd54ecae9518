// SPDX-License-Identifier: Apache-2.0
// What a range-based `for` over a braced list goes through. Used by array flow and by the rewriter.
#pragma once

#include <clang/AST/Expr.h>
#include <clang/AST/StmtCXX.h>

namespace relayout::instrument {

/// `{a, b}` of `for (auto *p : {a, b})`, and of `std::initializer_list<R *>{a, b}` there; null for
/// any other range.
[[nodiscard]] const clang::InitListExpr *listedRange(const clang::CXXForRangeStmt &loop);

} // namespace relayout::instrument
