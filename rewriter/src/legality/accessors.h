// SPDX-License-Identifier: Apache-2.0
// Methods that return a reference to a part of their object: `v[1]`, where the subscript's value
// decides between members, `v.y()`.
#pragma once

#include <clang/AST/Expr.h>

namespace relayout::rewriter {

/// What a call of such a method names.
struct AccessedPart {
  const clang::Expr *object = nullptr; ///< that the method is called on
  const clang::Expr *part = nullptr;   ///< in the method's body, a member of `this`
};

/// Nothing where the body is not known, does anything else, or decides by what is no constant.
[[nodiscard]] AccessedPart accessedPart(const clang::CallExpr &call);

/// The part alone, whichever way the object is named.
[[nodiscard]] const clang::Expr *returnedPart(const clang::CallExpr &call);

/// Of a method that returns a pointer, `float *data() { return v; }`, the array that it leads into,
/// or what it is the address of.
[[nodiscard]] const clang::Expr *pointedPart(const clang::CallExpr &call);

} // namespace relayout::rewriter
