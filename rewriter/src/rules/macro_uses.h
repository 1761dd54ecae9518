// SPDX-License-Identifier: Apache-2.0
// The macros whose bodies spell what would be edited.
#pragma once

#include "pass/program.h"

#include <set>
#include <string>

namespace relayout::rewriter {

/// The macro whose body has the token, which that may hand to a macro that it uses.
[[nodiscard]] std::string nameOfMacro(const Program &program, clang::SourceLocation inside);

/// All macros that make the token: the use in a file as it is written there,
/// `DEFINE_MEMORY(Particle, particles)`, and those that its body uses as `NAME(`.
[[nodiscard]] std::set<std::string> macrosAround(const Program &program,
                                                 clang::SourceLocation inside);

} // namespace relayout::rewriter
