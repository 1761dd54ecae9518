// SPDX-License-Identifier: Apache-2.0
// Polynomials with integer coefficients over named values.
#include "coordinates/polynomial.h"

#include <algorithm>
#include <iterator>

namespace relayout::rewriter {

Polynomial Polynomial::of(Atom atom) {
  Polynomial result;
  result.add({atom}, 1);
  return result;
}

void Polynomial::add(const Monomial &monomial, std::int64_t coefficient) {
  std::int64_t &sum = terms_[monomial];
  overflowed_ |= __builtin_add_overflow(sum, coefficient, &sum);
  if (sum == 0)
    terms_.erase(monomial);
}

Polynomial &Polynomial::operator+=(const Polynomial &other) {
  overflowed_ |= other.overflowed_;
  for (const auto &[monomial, coefficient] : other.terms_)
    add(monomial, coefficient);
  return *this;
}

Polynomial &Polynomial::operator-=(const Polynomial &other) {
  return *this += Polynomial(-1) * other;
}

Polynomial operator*(const Polynomial &a, const Polynomial &b) {
  Polynomial product;
  product.overflowed_ = a.overflowed_ || b.overflowed_;
  for (const auto &[left, leftCoefficient] : a.terms_)
    for (const auto &[right, rightCoefficient] : b.terms_) {
      Monomial both;
      std::ranges::merge(left, right, std::back_inserter(both));
      std::int64_t coefficient = 0;
      product.overflowed_ |=
          __builtin_mul_overflow(leftCoefficient, rightCoefficient, &coefficient);
      product.add(both, coefficient);
    }
  return product;
}

std::int64_t Polynomial::coefficient(const Monomial &monomial) const {
  const auto term = terms_.find(monomial);
  return term == terms_.end() ? 0 : term->second;
}

std::optional<std::int64_t> Polynomial::constant() const {
  if (terms_.empty())
    return 0;
  if (terms_.size() == 1 && terms_.begin()->first.empty())
    return terms_.begin()->second;
  return std::nullopt;
}

std::pair<Polynomial, Polynomial> Polynomial::dividedBy(const Polynomial &divisor) const {
  Polynomial quotient, remainder;
  quotient.overflowed_ = remainder.overflowed_ = overflowed_ || divisor.overflowed_;
  const auto &[atoms, factor] = *divisor.terms_.begin();
  for (const auto &[monomial, coefficient] : terms_) {
    const bool isConstant = monomial.empty() && atoms.empty();
    if (!std::ranges::includes(monomial, atoms) || (coefficient % factor != 0 && !isConstant)) {
      remainder.add(monomial, coefficient);
      continue;
    }
    Monomial others;
    std::ranges::set_difference(monomial, atoms, std::back_inserter(others));
    quotient.add(others, coefficient / factor);
    remainder.add(monomial, coefficient % factor);
  }
  return {quotient, remainder};
}

} // namespace relayout::rewriter
