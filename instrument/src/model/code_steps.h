// SPDX-License-Identifier: Apache-2.0
// Arithmetic that may end straight-line code: what is exact can take another way where its
// approximation does not get there. Which of it does is for a compiler model to say.
#pragma once

#include "relayout/trace/code_outline.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

#include <optional>

namespace relayout::instrument {

/// A floating-point division, but of constants, and by powers of two, which is multiplication.
[[nodiscard]] std::optional<trace::code::Divide> divisionIn(const clang::BinaryOperator &operation,
                                                            clang::ASTContext &context);

/// A call of a function that has a name and is none of the program's.
[[nodiscard]] std::optional<trace::code::LibraryCall> libraryCall(const clang::CallExpr &call,
                                                                  clang::ASTContext &context);

} // namespace relayout::instrument
