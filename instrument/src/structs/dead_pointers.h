// SPDX-License-Identifier: Apache-2.0
// Pointers that a copy of a struct need not have, because they are overwritten before any use.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Stmt.h>

#include <cstddef>

namespace relayout::instrument {

/// What becomes of a pointer first.
enum class FirstUse {
  Never,            ///< its life ends before
  Used,             ///< or it may be
  Overwritten,      ///< on every path
  OverwrittenOrNot, ///< on some paths; it may be used on the others
};

/// Of a pointer member of a local variable, behind the statement of a block that declares it as a
/// copy. Allocations are taken to succeed.
[[nodiscard]] FirstUse firstUse(const clang::VarDecl &variable, const clang::FieldDecl &member,
                                const clang::CompoundStmt &block, std::size_t index);

} // namespace relayout::instrument
