// SPDX-License-Identifier: Apache-2.0
// Functions that pointers lead to: `step = useGpu ? stepOnGpu : stepOnCpu;`.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Whether the name of a function is put into a pointer, or compared with one, whose type is
/// written out and changes as the function's does.
[[nodiscard]] bool isPutIntoPointer(const Program &program, const clang::DeclRefExpr &name,
                                    const clang::FunctionDecl &function);

} // namespace relayout::rewriter
