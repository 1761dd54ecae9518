// SPDX-License-Identifier: Apache-2.0
// Functions of a program's own that do what std::swap does.
#pragma once

#include <clang/AST/Expr.h>

namespace relayout::instrument {

/// A call of `template <class T> void turn(T &a, T &b) { T c = a; a = b; b = c; }` with pointers.
/// As T is deduced from the arguments, views get an instance of their own, and calls with other
/// pointers do not matter to it.
[[nodiscard]] bool exchangesPointers(const clang::CallExpr &call);

} // namespace relayout::instrument
