// SPDX-License-Identifier: Apache-2.0
// Calls of functions that allocate through a `void **`, or free a `void *`, and that cannot be
// written again for views: methods, lambdas, functions of other units. They keep what they do, with
// memory that has no type; an object of the generated header places the view in it.
#pragma once

#include "rules/climb.h"

namespace relayout::rewriter {

/// `pool.take((void **)&p, bytes)` becomes `pool.take(ParticleOut(&p, bytes), bytes)`, and
/// `pool.give(p)` becomes `pool.give(p.allocation())`.
///
/// \param argument  the pointer's, with its casts
/// \returns  nothing where the function does anything else with the pointer, or is not known
[[nodiscard]] std::optional<Step> adaptedCall(Climb &climb, const clang::CallExpr &call,
                                              const clang::Expr &argument,
                                              const clang::ParmVarDecl &parameter);

} // namespace relayout::rewriter
