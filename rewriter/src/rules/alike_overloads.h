// SPDX-License-Identifier: Apache-2.0
// Functions of one name that views would make alike.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Whether two functions have the same parameters, as they will be.
[[nodiscard]] bool takeTheSame(const Program &program, const clang::FunctionDecl &a,
                               const clang::FunctionDecl &b);

/// Refuses functions of one name and scope that no call could tell apart any more: `swap(R *&, R
/// *&)` and `swap(R &, R &)` would both take views.
void refuseAlikeOverloads(Program &program);

} // namespace relayout::rewriter
