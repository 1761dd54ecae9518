// SPDX-License-Identifier: Apache-2.0
// Statements that make a local object a copy of another.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <cstddef>
#include <optional>

namespace relayout::instrument {

struct CopiedObject {
  const clang::VarDecl *variable = nullptr; ///< a local one
  const clang::Expr *whole = nullptr;       ///< its initialiser, or the assignment
  const clang::Expr *value = nullptr;       ///< an lvalue
};

/// `S d = h;`, and `S d; d = h;` in one block with nothing between that uses d; nothing for other
/// statements.
[[nodiscard]] std::optional<CopiedObject> copyAt(const clang::CompoundStmt &block,
                                                 std::size_t index);

} // namespace relayout::instrument
