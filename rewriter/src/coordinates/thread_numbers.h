// SPDX-License-Identifier: Apache-2.0
// Numbers that CUDA gives threads and blocks, and what programs compute from them alone.
#pragma once

#include <clang/AST/Expr.h>

#include <optional>
#include <string>

namespace relayout::rewriter {

/// "threadIdx.x"; nothing for other expressions.
[[nodiscard]] std::optional<std::string> builtinNamed(const clang::Expr &expression);

/// The text of a sum or product of threadIdx, blockIdx, blockDim, gridDim and constants. A thread's
/// number is taken to fit the type that the program keeps it in.
[[nodiscard]] std::optional<std::string> threadNumber(const clang::Expr &expression,
                                                      const clang::ASTContext &ast);

} // namespace relayout::rewriter
