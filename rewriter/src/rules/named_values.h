// SPDX-License-Identifier: Apache-2.0
// Values that are computed into a variable before the element that they are for is named.
#pragma once

#include "rules/element_text.h"

namespace relayout::rewriter {

/// `p[i] = act();` becomes `{ const Particle value = act(); p.store(i, value); }`: an assignment
/// evaluates its right side first, the arguments of a call are evaluated in any order.
/// \returns  nothing where the assignment is no statement of its own, its text holds what other
///           edits change, or the variable would not be the value
[[nodiscard]] std::optional<TokenEdits> storeOfNamedValue(const Climb &climb,
                                                          const Element &element,
                                                          const clang::CXXOperatorCallExpr &store);

} // namespace relayout::rewriter
