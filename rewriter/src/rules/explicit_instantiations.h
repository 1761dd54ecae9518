// SPDX-License-Identifier: Apache-2.0
// Explicit instantiations of function templates, `template void step<Body>(Body *, int);`: Clang
// keeps no declaration of them, so that they are read as text.
#pragma once

#include "pass/program.h"

#include <vector>

namespace relayout::rewriter {

/// True for an instance that the unit instantiates, or declares to be, with a line of its own.
[[nodiscard]] bool isInstantiatedExplicitly(const clang::FunctionDecl &instance);

/// Those of one instance in the user's files that the unit reads, from `template`, or the `extern`
/// before it, to the semicolon.
/// \returns  empty where a macro spells it, or where none is known to be this instance's
[[nodiscard]] std::vector<FileRange> explicitInstantiationsOf(const Program &program,
                                                              const clang::FunctionDecl &instance);

} // namespace relayout::rewriter
