// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which parts of a function may stand in the program twice, once with records and once
// with counts alone. A test at each access would keep nvcc from unrolling loops and from moving
// loads; one test in front of a copy that has none costs nearly nothing.
#pragma once

#include "model/program_reader.h"

namespace relayout::instrument {

/// The parts of a function's text that may be repeated, in order: if possible one, from the first
/// statement that can be up to the end of the function, else also loops before that. None holds a
/// declaration that must not be there twice (shared and static variables, labels, classes,
/// lambdas), inline assembly, half of a macro invocation or half of an #if.
/// \param function  a definition with a body in braces, its template's pattern if it has one
[[nodiscard]] std::vector<TokenRange> repeatableParts(ReadUnit &unit,
                                                      const clang::FunctionDecl *function);

/// Whether these tokens are a piece of one file, with no half of a macro invocation or of an #if.
[[nodiscard]] bool isPieceOfFile(ReadUnit &unit, const TokenRange &range);

/// Whether each #if of the text ends in it, and no other directive but pragmas stands in it. Lines
/// of comments and strings are taken for directives where they look like them.
[[nodiscard]] bool keepsDirectivesWhole(llvm::StringRef text);

} // namespace relayout::instrument
