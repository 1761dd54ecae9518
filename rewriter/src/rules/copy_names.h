// SPDX-License-Identifier: Apache-2.0
// Names of template instances that are written out as functions: the template's, unless its calls
// would not tell the two apart.
#pragma once

#include "pass/program.h"

#include <optional>
#include <string>

namespace relayout::rewriter {

[[nodiscard]] bool takesViews(const Program &program, const clang::FunctionDecl &function);

/// What the function is called with tells nothing of its copy, which specializes the template
/// instead.
[[nodiscard]] bool keepsItsType(const Program &program, const clang::FunctionDecl &function);

[[nodiscard]] bool needsOwnName(const Program &program, const clang::FunctionDecl &function);

/// `particleAlloc` of `alloc<Particle>`, `particleStep_32` of `step<Particle, 32>` where there is
/// one for 64 as well.
/// \returns  nullopt where the name is taken
[[nodiscard]] std::optional<std::string> ownNameOf(const Program &program,
                                                   const clang::FunctionDecl &function);

} // namespace relayout::rewriter
