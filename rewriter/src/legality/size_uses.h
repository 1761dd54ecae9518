// SPDX-License-Identifier: Apache-2.0
// Where a size in bytes goes: to calls that allocate and copy, which may count as many bytes as
// they like, or to what the program shows or computes with.
#pragma once

#include "pass/program.h"

#include <clang/AST/Expr.h>

#include <string_view>

namespace relayout::rewriter {

/// What becomes of a `sizeof`, or of a variable that keeps it: how the sentence "its size …" ends,
/// empty where it only reaches calls and `new`, or is compared.
[[nodiscard]] std::string_view useOfSize(const Program &program,
                                         const clang::UnaryExprOrTypeTraitExpr &size);

} // namespace relayout::rewriter
