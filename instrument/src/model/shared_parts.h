// SPDX-License-Identifier: Apache-2.0
// `extern __shared__ char memory[]; Hit *hits = (Hit *)(memory + bytes);`: parts of a kernel's
// shared memory that have types of their own.
#pragma once

#include <clang/AST/Expr.h>

namespace relayout::instrument {

/// True for an address in an array in shared memory, and in a local pointer that is given nothing
/// else.
[[nodiscard]] bool leadsIntoSharedMemory(const clang::Expr &expression);

} // namespace relayout::instrument
