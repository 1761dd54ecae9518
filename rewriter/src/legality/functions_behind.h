// SPDX-License-Identifier: Apache-2.0
// What calls through pointers to functions lead to.
#pragma once

#include "pass/program.h"

#include <clang/AST/Expr.h>

#include <vector>

namespace relayout::rewriter {

/// What a call through a pointer may lead to: the functions of its type that the program names
/// without calling them; empty where there may be others.
[[nodiscard]] std::vector<const clang::FunctionDecl *> functionsBehind(const Program &program,
                                                                       const clang::CallExpr &call);

} // namespace relayout::rewriter
