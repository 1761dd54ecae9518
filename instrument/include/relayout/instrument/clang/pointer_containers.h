// SPDX-License-Identifier: Apache-2.0
// `std::vector<R *>` and `std::array<R *, n>`, whose elements flow as those of `R *table[n]` do.
// Used by array flow and by the rewriter.
#pragma once

#include <clang/AST/Expr.h>

namespace relayout::instrument {

/// The pointer type of a container's elements, also for a reference to the container; null for all
/// other types, among them containers in containers.
[[nodiscard]] clang::QualType pointerHeldBy(clang::QualType type);

[[nodiscard]] inline bool isPointerContainer(clang::QualType type) {
  return !pointerHeldBy(type).isNull();
}

/// The container to whose elements a call leads: `parts[i]`, `parts.at(i)`, `parts.front()`,
/// `parts.back()`, `parts.data()`, `parts.begin()`, and what a range-based `for` calls by itself.
/// Null for all other expressions.
[[nodiscard]] const clang::Expr *containerLedInto(const clang::Expr &expression);

/// The container of which a method is called, operators among them; null for all other calls.
[[nodiscard]] const clang::Expr *containerCalled(const clang::CallExpr &call);

} // namespace relayout::instrument
