// SPDX-License-Identifier: Apache-2.0
// The digits of an element's number, out of the polynomial that computes it.
#include "coordinates/digits.h"

#include <utility>

namespace relayout::rewriter {
namespace {

using Split = std::pair<Polynomial, Polynomial>; ///< quotient, remainder

Polynomial productOf(const Extent &extent) {
  Polynomial product(1);
  for (const Polynomial &factor : extent)
    product = product * factor;
  return product;
}

bool isOneTerm(const Polynomial &polynomial) {
  return !polynomial.overflowed() && polynomial.terms().size() == 1 &&
         polynomial.terms().begin()->second > 0;
}

std::optional<Split> split(const Polynomial &number, const Extent &extent, const Facts &facts);

bool isDigit(const Polynomial &value, const Extent &extent, const Facts &facts) {
  if (facts.proveNonNegative(value) && facts.proveLess(value, productOf(extent)))
    return true;
  return partsOf(value, extent, facts).has_value();
}

std::optional<Split> split(const Polynomial &number, const Extent &extent, const Facts &facts) {
  const Polynomial divisor = productOf(extent);
  if (!isOneTerm(divisor))
    return std::nullopt;
  const auto [quotient, remainder] = number.dividedBy(divisor);
  for (const int carry : {0, 1, -1}) {
    const Polynomial digit = remainder + Polynomial(carry) * divisor;
    if (isDigit(digit, extent, facts))
      return Split{quotient - Polynomial(carry), digit};
  }
  return std::nullopt;
}

} // namespace

std::optional<DigitParts> partsOf(const Polynomial &digit, const Extent &extent,
                                  const Facts &facts) {
  for (std::size_t lowest = 0; extent.size() > 1 && lowest < extent.size(); ++lowest) {
    Extent others = extent;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(lowest));
    const std::optional<Split> parts = split(digit, {extent[lowest]}, facts);
    if (parts && isDigit(parts->first, others, facts))
      return DigitParts{parts->first, parts->second, extent[lowest], std::move(others)};
  }
  return std::nullopt;
}

std::optional<std::vector<Polynomial>>
digitsOf(const Polynomial &number, const std::vector<Extent> &extents, const Facts &facts) {
  std::vector<Polynomial> digits;
  Polynomial rest = number;
  for (const Extent &extent : extents) {
    std::optional<Split> parts = split(rest, extent, facts);
    if (!parts)
      return std::nullopt;
    digits.push_back(std::move(parts->second));
    rest = std::move(parts->first);
  }
  if (rest.overflowed())
    return std::nullopt;
  digits.push_back(std::move(rest));
  return digits;
}

} // namespace relayout::rewriter
