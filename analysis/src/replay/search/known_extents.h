// SPDX-License-Identifier: Apache-2.0
// Policy replay: how the program writes the extents that the trace shows.
#pragma once

#include "relayout/analysis/layout/element_order.h"
#include "relayout/analysis/replay/stream/sample.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayout::analysis {

/// What all allocations of a group say of their extents.
class KnownExtents {
public:
  KnownExtents(const trace::Trace &trace, const ReplaySample &sample, trace::Index group);

  /// Gives each extent of the order its text: an expression that all allocations know, or of two
  /// the product; none for constants that the program multiplies by, products and quotients of two.
  /// Of several with one value the first is it, as the allocations list those that lead to a factor
  /// of the array's subscripts in front; but rather one that the subscripts have as the extent of
  /// this digit, of those that are named. A product is as late as its later factor.
  /// \returns  false where an extent is neither, as it would be right for the traced run alone;
  ///           not so on a GPU, where that run counts, if the program notes no extent at all
  [[nodiscard]] bool name(ElementOrder &order) const;

  /// A named order of another run, with the values that its texts have in this one; none: they are
  /// not known here.
  [[nodiscard]] std::optional<ElementOrder> inThisRun(ElementOrder order) const;

  /// Of a named order: how many of its extents a small run may have by chance: products of two that
  /// the program does not write as one expression, and a name that an earlier digit has, if what is
  /// left of the array for the highest digit has none.
  /// \param elements  of the array
  [[nodiscard]] std::size_t coincidences(const ElementOrder &order, std::uint64_t elements) const;

  /// Values of the variables that are known at the allocations, above one and each once.
  [[nodiscard]] std::vector<std::uint64_t> named() const;

private:
  using Place = std::vector<trace::Extent>::const_iterator;
  [[nodiscard]] Place find(std::uint64_t value) const;
  [[nodiscard]] bool hasConstant(std::uint64_t value) const;
  /// Whether it is the extent of a digit as the type of the array's pointers says.
  /// \param digit  from 1 for the lowest
  [[nodiscard]] bool isOfType(std::uint64_t value, std::size_t digit) const;
  /// \param digit  of the digits with named extents, from 1 for the lowest
  [[nodiscard]] std::optional<std::string> nameOf(std::uint64_t value, std::size_t digit) const;

  std::vector<trace::Extent> extents_;
  bool isOfThisRun_ = false; ///< on a GPU, of a program that notes no extent
};

} // namespace relayout::analysis
