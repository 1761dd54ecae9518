// SPDX-License-Identifier: Apache-2.0
// Statements that make a local object a copy of another.
#pragma once

#include <clang/AST/DeclCXX.h>
#include <clang/AST/Stmt.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace relayout::instrument {

struct CopiedObject {
  const clang::VarDecl *variable = nullptr; ///< a local one
  const clang::Expr *whole = nullptr;       ///< its initialiser, the assignment, or the call
  const clang::Expr *value = nullptr;       ///< an lvalue; of bytes a pointer
};

/// `S d = h;`, and `S d; d = h;` in one block with nothing between that uses d; nothing for other
/// statements.
[[nodiscard]] std::optional<CopiedObject> copyAt(const clang::CompoundStmt &block,
                                                 std::size_t index);

/// `cudaMemcpy(d, h, sizeof(S), cudaMemcpyHostToDevice);` of one object to memory that a local
/// pointer leads to, where these pointers in it are overwritten in the same way, behind it in the
/// block, before anything else names d.
[[nodiscard]] std::optional<CopiedObject> copiedBytesAt(const clang::CompoundStmt &block,
                                                        std::size_t index,
                                                        const clang::CXXRecordDecl &record,
                                                        const std::set<std::string> &pointers);

} // namespace relayout::instrument
