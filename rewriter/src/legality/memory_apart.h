// SPDX-License-Identifier: Apache-2.0
// Memory that atomic operations change and nothing else in the expression reads, as the counter of
// `out[atomicAdd(count, 1)] = in[i]`.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// \returns  whether the call is an atomic operation on a variable, or on a plain array that
///           allocations of its own lead to, which no part of `reading` names or leads to. What its
///           operands do is not looked at.
[[nodiscard]] bool changesMemoryApart(const Program &program, const clang::CallExpr &call,
                                      const clang::Expr &reading);

} // namespace relayout::rewriter
