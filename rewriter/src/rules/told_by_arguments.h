// SPDX-License-Identifier: Apache-2.0
// Whether what a function template is called with tells its template arguments.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// `name(…)`; null for a function that is named as a value, which is one of several.
[[nodiscard]] const clang::CallExpr *callOf(const ParentIndex &index,
                                            const clang::DeclRefExpr &name);

/// True where a call means the copy without template arguments: those that the template would
/// deduce are the copy's, which is preferred then, and there is no other function to mean.
[[nodiscard]] bool isToldByArguments(const Program &program, const clang::FunctionDecl &function,
                                     const clang::CallExpr &call);

/// True where a call in a template means the same function without template arguments, in all
/// instances that the program makes of that template.
[[nodiscard]] bool isToldInEachInstance(const Program &program, const clang::DeclRefExpr &name);

} // namespace relayout::rewriter
