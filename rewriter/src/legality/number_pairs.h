// SPDX-License-Identifier: Apache-2.0
// Members of type std::pair<float, int>. The library copies a pair by a function of the host's, so
// the header has a struct of the same members in its place.
#pragma once

#include <clang/AST/Decl.h>

#include <string>

namespace relayout::rewriter {

/// Whether a member is a std::pair of two numbers.
[[nodiscard]] bool isPairOfNumbers(const clang::FieldDecl &field);

/// "struct {\n  float first;\n  int second;\n}", of such a member.
[[nodiscard]] std::string structForPair(const clang::FieldDecl &field);

} // namespace relayout::rewriter
