// SPDX-License-Identifier: Apache-2.0
// Parameters of a function template over which a copy is a template itself: those for types that
// only code behind it can name, as lambdas have.
#pragma once

#include "pass/program.h"

#include <clang/AST/DeclTemplate.h>

#include <set>

namespace relayout::rewriter {

/// The arguments, counted from 0, for types that no copy can name where it stands at the earliest,
/// behind the template and the records.
[[nodiscard]] std::set<unsigned> unnamedThere(const Program &program,
                                              const clang::NamedDecl &instance,
                                              llvm::ArrayRef<clang::TemplateArgument> arguments);

/// The same of a function's instance.
[[nodiscard]] std::set<unsigned> parametersToKeep(const Program &program,
                                                  const clang::FunctionDecl &instance);

} // namespace relayout::rewriter
