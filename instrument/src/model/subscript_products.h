// SPDX-License-Identifier: Apache-2.0
// Which extents subscripts multiply with one another: of `(x * ny + y) * nz + z`, which adds up
// x * ny * nz, y * nz and z, the extent of the lowest digit is nz, and the next one's ny.
#pragma once

#include "model/value_sources.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace relayout::instrument {

class SubscriptProducts {
public:
  SubscriptProducts(const clang::ASTContext &ast, const ValueSources &sources)
      : ast_(ast), sources_(sources) {}

  void addFrom(const clang::Expr &subscript);

  /// The digit whose extent a kernel's parameter, a member or a global variable is, from 1 for the
  /// lowest: how many there are in the smallest product that has it. 0: not known.
  [[nodiscard]] unsigned digitOf(const clang::ValueDecl &declaration) const;

private:
  using Factor = std::set<clang::SourceLocation>; ///< names, several of `(nx + pad)`
  using Product = std::set<Factor>;
  using Sum = std::vector<Product>;

  /// `threadIdx.x` and the like.
  [[nodiscard]] bool isOfSystem(clang::SourceLocation place) const;
  /// The names of a sum of values that the kernel is given, and of constants.
  [[nodiscard]] bool addGiven(const clang::Expr &expression, Factor &names) const;
  /// Nothing where it has too many terms.
  [[nodiscard]] std::optional<Sum> sumOf(const clang::Expr &expression);
  [[nodiscard]] std::optional<Sum> sumOf(const clang::ValueDecl &declaration);

  const clang::ASTContext &ast_;
  const ValueSources &sources_;
  std::set<clang::SourceLocation> open_; ///< what is being taken apart
  std::map<clang::SourceLocation, unsigned> digits_;
};

} // namespace relayout::instrument
