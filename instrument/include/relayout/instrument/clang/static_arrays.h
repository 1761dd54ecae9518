// SPDX-License-Identifier: Apache-2.0
// Arrays of records that a program declares in device memory: `__device__ Particle particles[N];`.
// Used by array flow, by the lowering and by the rewriter.
#pragma once

#include <clang/AST/Decl.h>

namespace relayout::instrument {

/// Whether a variable is an array of records in device memory that may be laid out anew: it is
/// declared at namespace scope, with one constant extent behind its name, and starts as zeros. The
/// elements are not const or volatile. Constant, shared and managed memory have other rules.
[[nodiscard]] bool isStaticDeviceArray(const clang::ValueDecl &declaration);

/// The number of an array's elements; 0 where a template's parameter says it.
[[nodiscard]] std::uint64_t elementsOf(const clang::VarDecl &array);

/// The static array that an expression names; null for other expressions.
[[nodiscard]] const clang::VarDecl *namedStaticArray(const clang::Expr *expression);

} // namespace relayout::instrument
