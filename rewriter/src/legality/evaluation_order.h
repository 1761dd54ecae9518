// SPDX-License-Identifier: Apache-2.0
// Whether two expressions may change places. Operators with an order of evaluation become calls,
// whose arguments have none.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// True when evaluating the expression does more than compute a value. Reading threadIdx,
/// which is a call to Clang, does not.
[[nodiscard]] bool hasEffects(const Program &program, const clang::Expr &expression);

/// True when the expression names one of the variables other than to read its value.
[[nodiscard]] bool mayChange(const clang::Stmt *expression,
                             const std::set<const clang::VarDecl *> &variables,
                             bool isRead = false);

/// True when evaluating the expression may change memory other than the local variables that it
/// names. What functions do to global variables that they are not given is not looked at.
[[nodiscard]] bool mayChangeElements(const Program &program, const clang::Expr &expression);

/// True when the two, evaluated in one order or the other, may give different results.
[[nodiscard]] bool orderMatters(const Program &program, const clang::Expr &a, const clang::Expr &b);

/// The same of where an element is and what it is given: of `p[i]` only `p` and `i` are read.
[[nodiscard]] bool orderOfStoreMatters(const Program &program, const clang::Expr &element,
                                       const clang::Expr &value);

} // namespace relayout::rewriter
