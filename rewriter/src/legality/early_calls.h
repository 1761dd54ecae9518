// SPDX-License-Identifier: Apache-2.0
// Whether a call that changes an element, and is a part of a larger expression, may run before the
// rest of it.
#pragma once

#include "legality/element_effects.h"
#include "pass/program.h"

#include <optional>
#include <string>

namespace relayout::rewriter {

/// The outermost expression around a call.
/// \returns  null where the call may run more or less than once for each time that it is evaluated
[[nodiscard]] const clang::Expr *expressionAround(const Program &program,
                                                  const clang::CallExpr &call);

/// Whether a const variable can stand for what the call returns: a value that leads to no object,
/// and that is not told from a temporary.
[[nodiscard]] bool mayBeVariable(const Program &program, const clang::CallExpr &call);

/// Why the call may not run before the rest of the expression. Pointers and references to fields,
/// which are known when all climbs have ended, are not looked at.
/// \param target   of the element that the call changes
/// \param effects  on it
[[nodiscard]] std::optional<std::string>
obstacleToRunFirst(const Program &program, const clang::Expr &whole, const clang::CallExpr &call,
                   const Target &target, const ElementEffects &effects);

} // namespace relayout::rewriter
