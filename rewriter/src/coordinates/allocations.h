// SPDX-License-Identifier: Apache-2.0
// Calls that make pointers point to new memory of the device's.
#pragma once

#include "pass/program.h"

#include <vector>

namespace relayout::rewriter {

/// The pointers that a call fills in, CUDA's or of a function of the program that deals with memory
/// of any type; of one that returns the memory, what its result is converted to.
[[nodiscard]] std::vector<const clang::Expr *> allocatedBy(const Program &program,
                                                           const clang::CallExpr &call);

} // namespace relayout::rewriter
