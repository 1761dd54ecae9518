// SPDX-License-Identifier: Apache-2.0
// The digits of an element's number, out of the polynomial that computes it.
#pragma once

#include "coordinates/facts.h"

#include <optional>
#include <vector>

namespace relayout::rewriter {

/// An extent as the product of its factors.
using Extent = std::vector<Polynomial>;

/// The digits of a number that is not negative: what is left of it behind division by each extent,
/// and the last quotient. Found only where each remainder is proved to be at least zero and below
/// its extent, so that there are no others.
/// \param extents  of all digits but the highest, the lowest first; each factor has one term
/// \returns  the lowest first
[[nodiscard]] std::optional<std::vector<Polynomial>>
digitsOf(const Polynomial &number, const std::vector<Extent> &extents, const Facts &facts);

/// A digit as two of its own: quotient · factor + remainder, the remainder below a factor of the
/// extent and the quotient below the product of the others.
struct DigitParts {
  Polynomial quotient;
  Polynomial remainder;
  Polynomial factor;
  Extent others;
};
[[nodiscard]] std::optional<DigitParts> partsOf(const Polynomial &digit, const Extent &extent,
                                                const Facts &facts);

} // namespace relayout::rewriter
