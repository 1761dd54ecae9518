// SPDX-License-Identifier: Apache-2.0
// Where objects that have a conversion to a view may stand for one.
#pragma once

#include "rules/climb.h"

namespace relayout::rewriter {

/// True where the language converts the object for what takes the view: a parameter, a variable, a
/// result, each of a type that is written out. Elsewhere it would have to know which operand to
/// convert, or would take the object itself.
/// \param pointer  what the object becomes
[[nodiscard]] bool isConvertedThere(const Climb &climb, const clang::Expr &pointer);

} // namespace relayout::rewriter
