// SPDX-License-Identifier: Apache-2.0
// How large polynomials can be, and their text.
#include "coordinates/reading.h"

#include <clang/AST/ASTContext.h>

#include <fmt/format.h>

#include <algorithm>

namespace relayout::rewriter {
namespace {

using Wide = __int128;

constexpr Wide kLargestOf32 = (Wide(1) << 32) - 1;
constexpr Wide kLargestPlace = Wide(1) << 31;

} // namespace

/// Of a product of values that are not negative.
std::optional<Reading::Range> Reading::rangeOf(const Monomial &monomial) const {
  // An allocation whose extents make a product above the largest place has failed.
  std::vector<Atom> ofArray;
  for (const HostValue &extent : extents_)
    for (const auto &[known, atom] : hostValues_)
      if (known == extent)
        ofArray.push_back(atom);
  Wide largest = 1;
  bool hasExtents = false;
  for (const Atom atom : monomial) {
    const Polynomial value = Polynomial::of(atom);
    if (!facts_.proveNonNegative(value))
      return std::nullopt;
    if (const auto extent = std::ranges::find(ofArray, atom); extent != ofArray.end()) {
      ofArray.erase(extent);
      hasExtents = true;
      continue;
    }
    const bool isInt = facts_.proveNonNegative(Polynomial(kLargestInt) - value);
    if (!isInt && !facts_.proveNonNegative(Polynomial(std::int64_t(kLargestOf32)) - value))
      return std::nullopt;
    if (__builtin_mul_overflow(largest, isInt ? Wide(kLargestInt) : kLargestOf32, &largest))
      return std::nullopt;
  }
  if (hasExtents && __builtin_mul_overflow(largest, kLargestPlace, &largest))
    return std::nullopt;
  return Range{0, largest};
}

std::optional<Reading::Range> Reading::rangeOf(const Polynomial &polynomial) const {
  Range sum{0, 0};
  for (const auto &[monomial, coefficient] : polynomial.terms()) {
    const std::optional<Range> range = rangeOf(monomial);
    Wide largest = 0;
    if (!range || __builtin_mul_overflow(range->second, Wide(coefficient), &largest))
      return std::nullopt;
    if (monomial.empty())
      sum.first += coefficient;
    else if (__builtin_add_overflow(sum.first, std::min(largest, Wide(0)), &sum.first))
      return std::nullopt;
    if (__builtin_add_overflow(sum.second,
                               monomial.empty() ? Wide(coefficient) : std::max(largest, Wide(0)),
                               &sum.second))
      return std::nullopt;
  }
  return sum;
}

bool Reading::fits(const Polynomial &polynomial, clang::QualType type) const {
  const unsigned bits = ast_.getIntWidth(type);
  const bool isSigned = type->isSignedIntegerOrEnumerationType();
  const Wide smallest = isSigned ? -(Wide(1) << (bits - 1)) : Wide(0);
  const Wide largest = (Wide(1) << (isSigned ? bits - 1 : bits)) - 1;
  const std::optional<Range> range = rangeOf(polynomial);
  const bool isAbove =
      (range && range->first >= smallest) ||
      (bits <= 32 &&
       facts_.proveNonNegative(polynomial - Polynomial(static_cast<std::int64_t>(smallest)))) ||
      (!isSigned && facts_.proveNonNegative(polynomial));
  const bool isBelow =
      (range && range->second <= largest) ||
      facts_.proveNonNegative(
          Polynomial(bits <= 32 ? static_cast<std::int64_t>(largest) : kLargestInt) - polynomial);
  return isAbove && isBelow;
}

std::optional<std::string> Reading::textOf(const Monomial &monomial, std::int64_t factor) const {
  std::string text;
  Monomial atoms = monomial; // extents behind what they multiply
  std::ranges::stable_partition(atoms, [&](const Atom atom) {
    return std::ranges::none_of(hostValues_,
                                [&](const auto &known) { return known.second == atom; });
  });
  for (const Atom atom : atoms) {
    const Known &known = atoms_[atom];
    // Another variable of the name might hide it at the access.
    if (known.text.empty() || (known.variable && !body_.means(*known.variable, access_)))
      return std::nullopt;
    const bool isProduct = monomial.size() > 1 || factor != 1;
    text += (text.empty() ? "" : " * ") +
            (known.isSum && isProduct ? "(" + known.text + ")" : known.text);
  }
  if (factor == 1 && !text.empty())
    return text;
  const auto name = numbers_.find(factor);
  if (text.empty() || name == numbers_.end())
    return (text.empty() ? "" : text + " * ") + std::to_string(factor);
  return text + " * " + name->second;
}

/// No part of such a sum is above the whole.
bool Reading::onlyGrows(const Polynomial &polynomial) const {
  return std::ranges::all_of(polynomial.terms(), [&](const auto &term) {
    return term.second > 0 && std::ranges::all_of(term.first, [&](const Atom atom) {
             return facts_.proveNonNegative(Polynomial::of(atom));
           });
  });
}

std::optional<std::string> Reading::textOf(const Polynomial &polynomial) const {
  const bool grows = onlyGrows(polynomial);
  std::vector<std::pair<Monomial, std::int64_t>> terms(polynomial.terms().begin(),
                                                       polynomial.terms().end());
  if (terms.empty())
    return "0";
  std::ranges::stable_sort(terms, [](const auto &a, const auto &b) {
    const bool aSubtracts = a.second < 0, bSubtracts = b.second < 0;
    if (aSubtracts != bSubtracts || a.first.size() != b.first.size())
      return aSubtracts != bSubtracts ? !aSubtracts : a.first.size() > b.first.size();
    return std::abs(a.second) > std::abs(b.second);
  });
  std::string text;
  Polynomial sum;
  for (const auto &[monomial, coefficient] : terms) {
    if (coefficient < -kLargestInt || coefficient > kLargestInt)
      return std::nullopt;
    Polynomial term(coefficient);
    for (const Atom atom : monomial)
      term = term * Polynomial::of(atom);
    sum += term;
    const std::optional<std::string> written = textOf(monomial, std::abs(coefficient));
    const bool isSmall = grows || (fits(term, ast_.IntTy) && fits(sum, ast_.IntTy));
    if (!written || !isSmall || monomial.size() > 2)
      return std::nullopt;
    if (text.empty())
      text = (coefficient < 0 ? "-" : "") + *written;
    else
      text += (coefficient < 0 ? " - " : " + ") + *written;
  }
  return text;
}

} // namespace relayout::rewriter
