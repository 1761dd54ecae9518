// SPDX-License-Identifier: Apache-2.0
// The functions that the units of a program define for each other.
#pragma once

#include <clang/AST/Decl.h>
#include <clang/AST/DeclCXX.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace relayout::rewriter {

struct Program;

/// A function with a body, in the unit that holds it.
struct LinkedFunction {
  Program *program = nullptr;                ///< null: that of the unit that asked
  const clang::FunctionDecl *body = nullptr; ///< null: no unit has one

  /// \param Asking  Program, const or not
  template <class Asking> [[nodiscard]] Asking *programOr(Asking *asking) const {
    return program ? program : asking;
  }
};

/// True for an instance of a template that its unit does not define.
[[nodiscard]] bool isDeclaredAlone(const clang::FunctionDecl &function);

class LinkedFunctions {
public:
  /// Adds what the unit's user files define with external linkage, in place of what is known by the
  /// same symbols.
  /// \param program  must outlive this
  void add(Program &program);

  /// \returns  the asking unit's own, if it has one
  [[nodiscard]] LinkedFunction bodyOf(const Program &asking,
                                      const clang::FunctionDecl &function) const;

  /// The same instance of a template in the units that declare the template alone: another one's
  /// definition serves them.
  [[nodiscard]] std::vector<LinkedFunction>
  declaredAlone(const Program &asking, const clang::FunctionDecl &instance) const;

  /// Whether several units define the function, as instances of templates may be.
  [[nodiscard]] bool isDefinedBySeveral(const Program &asking,
                                        const clang::FunctionDecl &function) const;

  /// What a call of the function may run, with all that overrides it if it is virtual.
  /// \returns  empty where some of it has no body
  [[nodiscard]] std::vector<LinkedFunction> bodiesOf(const Program &asking,
                                                     const clang::FunctionDecl &function) const;

private:
  std::map<std::string, LinkedFunction> bySymbol_;
  std::map<std::string, std::set<const Program *>> defining_;
  std::map<std::string, std::vector<LinkedFunction>> alone_; ///< instances of such templates
  std::vector<Program *> programs_;
};

} // namespace relayout::rewriter
