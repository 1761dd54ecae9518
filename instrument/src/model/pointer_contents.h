// SPDX-License-Identifier: Apache-2.0
// What a function's own pointers hold, by its text.
#pragma once

#include <clang/AST/Expr.h>
#include <llvm/ADT/STLFunctionalExtras.h>

namespace relayout::instrument {

/// Whether an expression leads to memory of a kind.
using MemoryTest = llvm::function_ref<bool(const clang::Expr &)>;

/// True for a local pointer that is given nothing but such memory. It may walk.
[[nodiscard]] bool holdsAlone(const clang::VarDecl &variable, MemoryTest isOfMemory);

} // namespace relayout::instrument
