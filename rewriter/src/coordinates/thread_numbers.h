// SPDX-License-Identifier: Apache-2.0
// Numbers that CUDA gives threads and blocks, and what programs compute from them alone.
#pragma once

#include <clang/AST/Expr.h>

#include <cstdint>
#include <optional>
#include <string>

namespace relayout::rewriter {

/// "threadIdx.x"; nothing for other expressions.
[[nodiscard]] std::optional<std::string> builtinNamed(const clang::Expr &expression);

struct ThreadNumber {
  std::string text;
  std::int64_t least = 0; ///< no launch makes it smaller
};

/// A sum or product of threadIdx, blockIdx, blockDim, gridDim and constants whose value `int`
/// holds: for all launches that CUDA allows, or, of numbers of a thread in its grid, for those of
/// up to 2^28 threads.
[[nodiscard]] std::optional<ThreadNumber> threadNumber(const clang::Expr &expression,
                                                       const clang::ASTContext &ast);

} // namespace relayout::rewriter
