// SPDX-License-Identifier: Apache-2.0
// Whether what a function template is called with tells its template arguments.
#pragma once

#include "pass/program.h"

#include <optional>

namespace relayout::rewriter {

/// A function's name as an expression has it: `upload<Particle>`, `device.template
/// upload<Particle>`.
struct FunctionName {
  const clang::FunctionDecl *function = nullptr;
  clang::SourceLocation place;
  clang::SourceLocation keyword;               ///< of `template`; invalid where there is none
  clang::SourceLocation leftAngle, rightAngle; ///< around arguments; invalid where none are written
};

/// \returns  nullopt where the expression names no function
[[nodiscard]] std::optional<FunctionName> functionNameOf(const clang::Expr &expression);

/// `name(…)`; null for a function that is named as a value, which is one of several.
[[nodiscard]] const clang::CallExpr *callOf(const ParentIndex &index, const clang::Expr &name);

/// True where a call means the copy without template arguments: those that the template would
/// deduce are the copy's, which is preferred then, and there is no other function to mean.
[[nodiscard]] bool isToldByArguments(const Program &program, const clang::FunctionDecl &function,
                                     const clang::CallExpr &call);

/// True where a call in a template means the same function without template arguments, in all
/// instances that the program makes of that template.
[[nodiscard]] bool isToldInEachInstance(const Program &program, const FunctionName &name);

} // namespace relayout::rewriter
