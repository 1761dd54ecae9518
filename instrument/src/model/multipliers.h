// SPDX-License-Identifier: Apache-2.0
// The numbers by which device code multiplies: those in the subscripts of an array are its extents.
#pragma once

#include "model/value_sources.h"
#include "relayout/instrument/clang/array_flow.h"
#include "relayout/instrument/clang/front_end.h"
#include "relayout/instrument/clang/size_factors.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace relayout::instrument {

/// The factors in the subscripts of a group's arrays, and what leads to them through parameters,
/// copies, members and results: by the number of these steps.
class SubscriptFactors {
public:
  /// Steps from what is written at an allocation to a factor; nothing where it leads to none.
  [[nodiscard]] std::optional<unsigned> stepsFrom(const ExtentName &name) const;
  [[nodiscard]] std::optional<unsigned> stepsFrom(std::uint64_t constant) const;

  /// The digit whose extent it is by the products of the subscripts, from 1 for the lowest; 0: not
  /// known.
  [[nodiscard]] unsigned digitOf(const ExtentName &name) const;

private:
  friend class Multipliers;
  std::map<clang::SourceLocation, unsigned> factors_; ///< by declaration
  std::map<clang::SourceLocation, unsigned> terms_;   ///< in sums that are factors
  std::map<std::uint64_t, unsigned> constants_;
  std::map<clang::SourceLocation, unsigned> digits_; ///< by declaration, of factors and terms
};

class Multipliers {
public:
  /// Reads a unit that outlives this.
  Multipliers(ParsedUnit &unit, const ArrayFlow &flow);

  /// Integer constants by which device code multiplies, divides and shifts, from 2 upwards, and
  /// those that alone reach such an operand: a parameter that is a constant at each launch.
  [[nodiscard]] const std::set<std::uint64_t> &constants() const { return constants_; }

  /// \param group  of `flow`
  [[nodiscard]] SubscriptFactors factorsOf(std::uint32_t group) const;

private:
  const clang::ASTContext &ast_;
  ValueSources sources_;
  std::map<std::uint32_t, std::vector<const clang::Expr *>> subscripts_; ///< by group
  std::set<std::uint64_t> constants_;
};

} // namespace relayout::instrument
