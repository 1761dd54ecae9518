// SPDX-License-Identifier: Apache-2.0
// Types that `decltype(auto)` takes from an access: a field's own, where a view's function returns
// a reference to it; an element's.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// Whether `decltype(auto)` names the type of a field or an element that is reached from a name.
/// \param around  the innermost function
[[nodiscard]] bool decidesDeducedType(const Program &program, const clang::Expr &name,
                                      const clang::FunctionDecl *around);

} // namespace relayout::rewriter
