// SPDX-License-Identifier: Apache-2.0
// CUDA's calls on memory that holds pointers: `cudaMalloc(&rows, n * sizeof(R *))`, and
// `cudaMemcpy(&scene->items, &items, sizeof(R *), kind)`. It holds views once rewritten.
#pragma once

#include "rules/climb.h"

namespace relayout::rewriter {

/// \param given  `rows`, or the address of a pointer, of a rewritten array
/// \returns  nothing where it is not an argument of such a call
[[nodiscard]] std::optional<Step> pointersInCudaCall(Climb &climb, const clang::Expr &given);

/// `sizeof(rows)` and `sizeof(p)` where such a call is given the bytes.
[[nodiscard]] bool countsBytesOfPointers(const Climb &climb,
                                         const clang::UnaryExprOrTypeTraitExpr &size);

} // namespace relayout::rewriter
