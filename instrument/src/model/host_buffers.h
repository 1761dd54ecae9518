// SPDX-License-Identifier: Apache-2.0
// `float *buffer = (float *)malloc(bytes)`, which is cast to records later: whatever its type, the
// memory is the host's.
#pragma once

#include <clang/AST/Expr.h>

namespace relayout::instrument {

/// True for `malloc(…)` and the like, behind casts.
[[nodiscard]] bool makesHostMemory(const clang::Expr &expression);

/// True for a local pointer that is given nothing but such memory, by its function's text.
[[nodiscard]] bool holdsHostMemoryAlone(const clang::VarDecl &variable);

} // namespace relayout::instrument
