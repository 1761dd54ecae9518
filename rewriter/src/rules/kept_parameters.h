// SPDX-License-Identifier: Apache-2.0
// Parameters of a function template over which a copy is a template itself: those for types that
// only code behind it can name, as lambdas have.
#pragma once

#include "pass/program.h"

#include <clang/AST/DeclTemplate.h>

#include <set>
#include <string>

namespace relayout::rewriter {

/// The arguments, counted from 0, for types that no copy can name where it stands at the earliest,
/// behind the template and the records.
[[nodiscard]] std::set<unsigned> unnamedThere(const Program &program,
                                              const clang::NamedDecl &instance,
                                              llvm::ArrayRef<clang::TemplateArgument> arguments);

/// The same of a function's instance.
[[nodiscard]] std::set<unsigned> parametersToKeep(const Program &program,
                                                  const clang::FunctionDecl &instance);

/// `F f`, `const F &f`: whether it is the function's parameter that tells the template's.
[[nodiscard]] bool tells(const clang::ParmVarDecl &parameter, unsigned index);

/// What stands against a copy that is a template over those parameters itself.
[[nodiscard]] std::string obstacleToKeeping(const Program &program,
                                            const clang::FunctionDecl &instance);

/// `class F, typename P`, as the template has them.
[[nodiscard]] std::string spelledParameters(const clang::FunctionDecl &instance,
                                            const std::set<unsigned> &kept);

} // namespace relayout::rewriter
