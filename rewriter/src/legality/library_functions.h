// SPDX-License-Identifier: Apache-2.0
// What is known of functions that the program does not define.
#pragma once

#include <clang/AST/Decl.h>

namespace relayout::rewriter {

/// True for a function of CUDA's or the system's headers that only computes a value of values.
[[nodiscard]] bool isMathematical(const clang::FunctionDecl &function);

/// True for values from which no object can be reached: numbers, and structs of them.
[[nodiscard]] bool holdsNoAddress(clang::QualType type);

} // namespace relayout::rewriter
