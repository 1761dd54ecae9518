// SPDX-License-Identifier: Apache-2.0
// Proves that a polynomial is not negative by taking facts off it until a number is left.
#include "coordinates/facts.h"

#include <algorithm>
#include <numeric>

namespace relayout::rewriter {
namespace {

constexpr int kDeepestProof = 10;
constexpr int kMostSteps = 500;

/// The term that has to go next: one that may make the polynomial negative, else any but the
/// constant. Nothing where only the constant is left.
const std::pair<const Monomial, std::int64_t> *termToRemove(const Polynomial &polynomial) {
  const std::pair<const Monomial, std::int64_t> *found = nullptr;
  for (const auto &term : polynomial.terms())
    if (!term.first.empty() && (!found || (term.second < 0 && found->second > 0)))
      found = &term;
  return found;
}

} // namespace

void Facts::addNonNegative(Polynomial polynomial) {
  if (!polynomial.overflowed() && !polynomial.constant() &&
      std::ranges::find(facts_, polynomial) == facts_.end())
    facts_.push_back(std::move(polynomial));
}

bool Facts::proveNonNegative(const Polynomial &polynomial) const {
  int steps = 0;
  return prove(polynomial, 0, steps);
}

bool Facts::prove(const Polynomial &polynomial, int depth, int &steps) const {
  if (polynomial.overflowed())
    return false;
  if (const std::optional<std::int64_t> constant = polynomial.constant())
    return *constant >= 0;
  if (depth == kDeepestProof || ++steps > kMostSteps)
    return false;
  const auto &[monomial, coefficient] = *termToRemove(polynomial);
  if (coefficient == INT64_MIN)
    return false;
  for (const Polynomial &fact : facts_) {
    const std::int64_t known = fact.coefficient(monomial);
    if (known == 0 || known == INT64_MIN || (known < 0) != (coefficient < 0))
      continue;
    // Of polynomial / known and fact / coefficient, the terms cancel.
    const std::int64_t common = std::gcd(known, coefficient);
    const std::int64_t ofFact = std::abs(coefficient / common), own = std::abs(known / common);
    if (prove(Polynomial(own) * polynomial - Polynomial(ofFact) * fact, depth + 1, steps))
      return true;
  }
  return false;
}

} // namespace relayout::rewriter
