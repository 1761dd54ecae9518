// SPDX-License-Identifier: Apache-2.0
// Arithmetic that has a branch in it: what is exact takes another way where its approximation does
// not get there.
#pragma once

#include "relayout/instrument/command.h"

#include <clang/AST/ASTContext.h>
#include <clang/AST/Expr.h>

namespace relayout::instrument {

/// Floating-point division, but of constants, and by powers of two, which is multiplication.
[[nodiscard]] bool hasSlowPath(const clang::BinaryOperator &division, clang::ASTContext &context,
                               const FloatMath &math);

/// A call of CUDA's mathematical library, but of constants; barriers and fences as well end
/// straight-line code.
/// \source  machine code of each function with one argument after the other from memory, nvcc 13.0,
///          sm_90, -O3, with and without -use_fast_math
[[nodiscard]] bool hasSlowPath(const clang::CallExpr &foreign, clang::ASTContext &context,
                               const FloatMath &math);

} // namespace relayout::instrument
