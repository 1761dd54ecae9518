// SPDX-License-Identifier: Apache-2.0
// nvcc takes braces among the settings of a launch, `<<<{x, y}, n>>>`, where Clang expects
// expressions.
#pragma once

#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/Token.h>

namespace relayout::instrument {

/// While Clang parses: gives each such brace the type that nvcc does, `dim3`. The text stays.
class BracedSettings {
public:
  void onToken(const clang::Token &token, clang::CompilerInstance &compiler);

private:
  bool isOpen_ = false; ///< between `<<<` and `>>>`
  int depth_ = 0;       ///< of parentheses, brackets and braces open since
};

} // namespace relayout::instrument
