// SPDX-License-Identifier: Apache-2.0
// The functions that the units of a program define for each other.
#pragma once

#include <clang/AST/Decl.h>

#include <map>
#include <string>

namespace relayout::rewriter {

struct Program;

/// A function that has a body, in the unit that holds it.
struct LinkedFunction {
  const Program *program = nullptr;
  const clang::FunctionDecl *body = nullptr; ///< null: no unit has one
};

class LinkedFunctions {
public:
  /// Adds the functions with external linkage that the unit's user files define, in place of those
  /// that are known by the same symbol.
  /// \param program  must outlive this
  void add(const Program &program);

  /// \returns  the asking unit's own, if it has one
  [[nodiscard]] LinkedFunction bodyOf(const Program &asking,
                                      const clang::FunctionDecl &function) const;

private:
  std::map<std::string, LinkedFunction> bySymbol_;
};

} // namespace relayout::rewriter
