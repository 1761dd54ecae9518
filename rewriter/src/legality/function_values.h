// SPDX-License-Identifier: Apache-2.0
// Functions that pointers lead to: `step = useGpu ? stepOnGpu : stepOnCpu;`.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Whether the name of a function is put into a pointer, or compared with one, whose type is
/// written out and changes as the function's does.
[[nodiscard]] bool isPutIntoPointer(const Program &program, const clang::DeclRefExpr &name,
                                    const clang::FunctionDecl &function);

/// The record whose arrays a pointer takes that the name of a function is put into; null for all
/// other uses of the name.
[[nodiscard]] const Target *takenBy(const Program &program, const clang::DeclRefExpr &name);

/// Refuses pointers to functions whose type changes where functions of another type may be behind
/// them: by casts, in unions, from lambdas, and where other code than the program's has them.
void refuseOtherFunctions(Program &program);

} // namespace relayout::rewriter
