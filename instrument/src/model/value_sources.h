// SPDX-License-Identifier: Apache-2.0
// What the integers of a unit are given: by initialisers, assignments, calls, launches and returns.
#pragma once

#include "relayout/instrument/clang/front_end.h"

#include <clang/AST/Decl.h>
#include <clang/AST/Expr.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace relayout::instrument {

/// A variable, parameter, member or function, the latter for what it returns. A template and its
/// instances are one.
[[nodiscard]] clang::SourceLocation placeOf(const clang::ValueDecl &declaration);

/// The declaration whose value the expression is: a name, a member, or a call; null for others.
[[nodiscard]] const clang::ValueDecl *named(const clang::Expr &expression);

/// Not negative, of 64 bits.
[[nodiscard]] std::optional<std::uint64_t> constantOf(const clang::Expr &expression,
                                                      const clang::ASTContext &ast);

class ValueSources {
public:
  explicit ValueSources(ParsedUnit &unit);

  /// What the declaration is given, as far as it is an expression.
  [[nodiscard]] const std::vector<const clang::Expr *> &of(clang::SourceLocation place) const;

  /// Whether it gets other values, too, as by `++`.
  [[nodiscard]] bool isChanged(clang::SourceLocation place) const;

  /// The constants that reach an expression through parameters, members and results; none where
  /// something else may, as a variable: that has a name of its own.
  [[nodiscard]] std::set<std::uint64_t> constantsOnly(const clang::Expr &expression) const;

private:
  class Finder;
  struct Given {
    std::vector<const clang::Expr *> expressions;
    bool isChanged = false; ///< by what is no expression for its value, as `++`
  };
  [[nodiscard]] bool addConstants(const clang::Expr &expression,
                                  std::set<clang::SourceLocation> &seen,
                                  std::set<std::uint64_t> &constants) const;

  const clang::ASTContext &ast_;
  std::map<clang::SourceLocation, Given> given_;
};

} // namespace relayout::instrument
