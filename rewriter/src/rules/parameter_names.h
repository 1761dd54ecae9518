// SPDX-License-Identifier: Apache-2.0
// The places where a template names its parameters.
#pragma once

#include <clang/AST/Decl.h>

#include <vector>

namespace relayout::rewriter {

struct ParameterName {
  clang::SourceLocation where;
  unsigned index = 0;      ///< of the parameter
  bool isShared = false;   ///< by several variables, `T a, b;`, where a `*` would be a's alone
  bool makesValue = false; ///< `T(x)`, `T{x}`, which takes a type of one word
};

[[nodiscard]] std::vector<ParameterName> parameterNames(const clang::NamedDecl &pattern);

} // namespace relayout::rewriter
