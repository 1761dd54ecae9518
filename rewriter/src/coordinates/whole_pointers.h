// SPDX-License-Identifier: Apache-2.0
// Which pointers stand at the first element of an array wherever they have a value: they are given
// allocations, null, and other such pointers alone.
#pragma once

#include "pass/callers.h"

#include <map>
#include <set>
#include <vector>

namespace relayout::rewriter {

class WholePointers {
public:
  WholePointers(const Program &program, const Callers &callers);

  /// \param declaration  a variable, parameter or member: `T *`, or an array of those
  [[nodiscard]] bool isWhole(const clang::ValueDecl &declaration) const;

private:
  class Finder;
  void addParameters(const clang::FunctionDecl &function);
  void addNaming(const clang::ValueDecl &declaration, const clang::Expr &name);
  void addAddress(const clang::ValueDecl &declaration, const clang::UnaryOperator &address);
  void addGiven(const clang::ValueDecl &declaration, const clang::Expr &value);
  void addLink(const clang::ValueDecl &to, const clang::ValueDecl &from);
  void move(const clang::ValueDecl &declaration);
  void spread();

  const Program &program_;
  const Callers &callers_;
  /// By what flows into them: pointers, pointers to these, functions that return them.
  std::map<const clang::ValueDecl *, std::vector<const clang::ValueDecl *>> flowsTo_;
  std::set<const clang::ValueDecl *> moved_;
};

} // namespace relayout::rewriter
