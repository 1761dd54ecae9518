// SPDX-License-Identifier: Apache-2.0
// Memory that a pointer leads to where it is declared or assigned, and never when it is used. Used
// by array flow and by the rewriter.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

namespace relayout::instrument {

/// Whether a local pointer starts with memory of the host's that nothing uses, because the pointer
/// is overwritten on every path before it is read: `R *d = new R[n]; cudaMalloc(&d, bytes);`.
/// Allocations are taken to succeed. What makes the memory has no other effect.
[[nodiscard]] bool startsWithUnusedMemory(const clang::VarDecl &variable);

/// The same of a statement `d = (R *)malloc(bytes);`, where nothing but its name leads to `d`.
/// \returns  the pointer; null: it may be used
[[nodiscard]] const clang::VarDecl *assignedUnusedMemory(const clang::BinaryOperator &assignment);

} // namespace relayout::instrument
