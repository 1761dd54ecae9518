// SPDX-License-Identifier: Apache-2.0
// `new (p) R(a)`, which makes an object where memory is already.
#pragma once

#include <clang/AST/ExprCXX.h>

namespace relayout::instrument {

/// The expression that gives a new object its place; null for all other kinds of `new`.
[[nodiscard]] inline const clang::Expr *placeOf(const clang::CXXNewExpr &made) {
  const clang::FunctionDecl *allocation = made.getOperatorNew();
  return allocation && allocation->isReservedGlobalPlacementOperator() && !made.isArray() &&
                 made.getNumPlacementArgs() == 1
             ? made.getPlacementArg(0)
             : nullptr;
}

} // namespace relayout::instrument
