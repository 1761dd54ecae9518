// SPDX-License-Identifier: Apache-2.0
// Loops that count from 0 to a constant, as those over all elements of an array.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <cstdint>
#include <optional>

namespace relayout::rewriter {

struct WholeLoop {
  const clang::VarDecl *counter = nullptr;
  std::uint64_t iterations = 0; ///< at least one
};

/// Of `for (int k = 0; k < 4; ++k)`, whatever its body does; nothing for loops of other forms.
[[nodiscard]] std::optional<WholeLoop> wholeLoop(const clang::ForStmt &loop,
                                                 const clang::ASTContext &ast);

} // namespace relayout::rewriter
