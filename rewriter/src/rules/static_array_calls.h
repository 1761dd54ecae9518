// SPDX-License-Identifier: Apache-2.0
// CUDA's calls that take the name of an array in a variable.
#pragma once

#include "rules/climb.h"

namespace relayout::rewriter {

/// `cudaMemcpyToSymbol(array, …)`, `cudaGetSymbolSize(&bytes, array)` and related calls.
/// \param argument  that names the array
[[nodiscard]] Step staticArrayInCall(Climb &climb, const clang::Expr &argument,
                                     const clang::CallExpr &call);

/// `cudaGetSymbolAddress((void **)&p, array)`.
/// \param argument  that is filled in
/// \param pointer   its type
[[nodiscard]] Step addressOfStaticArray(Climb &climb, const clang::Expr &argument,
                                        clang::QualType pointer, const clang::CallExpr &call);

} // namespace relayout::rewriter
