// SPDX-License-Identifier: Apache-2.0
// Parameters `R &` through which a function only reads. They may as well be `const R &`, to which
// the copy of an element can be bound.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// \param parameter  of the function that a call names
/// \returns  true where every use of it reads, and nothing but calls of the function names it
[[nodiscard]] bool mayBeConst(const Program &program, const clang::ParmVarDecl &parameter);

/// Writes `const` in front of its type in all declarations of the function.
/// \returns  false where they are not in the program's own text
[[nodiscard]] bool makeConst(Program &program, const clang::ParmVarDecl &parameter);

} // namespace relayout::rewriter
