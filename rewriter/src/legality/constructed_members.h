// SPDX-License-Identifier: Apache-2.0
// Which members a constructor sets. Where one keeps what the memory held before, `new (p + i) R()`
// and `p[i] = R()` differ.
#pragma once

#include "pass/program.h"

namespace relayout::rewriter {

/// \param construction  what makes an object: a constructor's call, or values for the members
/// \returns  the first member that may be left as it was; null: all are set
[[nodiscard]] const clang::FieldDecl *unsetMember(const Program &program,
                                                  const clang::Expr &construction);

} // namespace relayout::rewriter
