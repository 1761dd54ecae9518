// SPDX-License-Identifier: Apache-2.0
// Overloads between a template and the copy of an instance: the template's own calls do not mean
// them, and those of the copy could.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// A function that an instance calls, and of which another overload is declared behind its
/// template. \param place  where the copy will stand \returns  null: there is none
[[nodiscard]] const clang::FunctionDecl *calledWithLaterOverload(const Program &program,
                                                                 const clang::NamedDecl &instance,
                                                                 clang::SourceLocation place);

} // namespace relayout::rewriter
