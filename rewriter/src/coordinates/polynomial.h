// SPDX-License-Identifier: Apache-2.0
// Polynomials with integer coefficients over named values: what subscripts and bounds are made of.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace relayout::rewriter {

/// A value that does not change: a variable, or an expression of some that is not taken apart.
using Atom = std::uint32_t;
/// Sorted; an atom of a power repeats; empty: one.
using Monomial = std::vector<Atom>;

class Polynomial {
public:
  Polynomial() = default;
  explicit Polynomial(std::int64_t constant) { add({}, constant); }
  static Polynomial of(Atom atom);

  Polynomial &operator+=(const Polynomial &other);
  Polynomial &operator-=(const Polynomial &other);
  friend Polynomial operator+(Polynomial a, const Polynomial &b) { return a += b; }
  friend Polynomial operator-(Polynomial a, const Polynomial &b) { return a -= b; }
  friend Polynomial operator*(const Polynomial &a, const Polynomial &b);
  bool operator==(const Polynomial &) const = default;
  auto operator<=>(const Polynomial &) const = default;

  [[nodiscard]] const std::map<Monomial, std::int64_t> &terms() const { return terms_; }
  [[nodiscard]] std::int64_t coefficient(const Monomial &monomial) const;
  /// Nothing where it has atoms.
  [[nodiscard]] std::optional<std::int64_t> constant() const;
  /// A coefficient left 64 bits: the polynomial says nothing.
  [[nodiscard]] bool overflowed() const { return overflowed_; }

  /// This is quotient · divisor + remainder: what a monomial divides, and the other terms. Of a
  /// constant divisor and a constant term, the quotient is rounded towards zero.
  /// \param divisor  one term
  [[nodiscard]] std::pair<Polynomial, Polynomial> dividedBy(const Polynomial &divisor) const;

private:
  void add(const Monomial &monomial, std::int64_t coefficient);

  std::map<Monomial, std::int64_t> terms_; ///< no coefficient is zero
  bool overflowed_ = false;
};

} // namespace relayout::rewriter
