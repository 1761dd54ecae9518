// SPDX-License-Identifier: Apache-2.0
// The conditions that hold wherever an access is reached.
#pragma once

#include "coordinates/function_body.h"

#include <vector>

namespace relayout::rewriter {

struct Guard {
  const clang::Expr *condition = nullptr;
  bool holds = true;
};

/// Of branches, loops and `&&` around an access, and of statements in front of it that return or
/// leave the loop; the outermost first. None in functions with labels.
[[nodiscard]] std::vector<Guard> guardsOf(const FunctionBody &body, const clang::Expr &access);

} // namespace relayout::rewriter
