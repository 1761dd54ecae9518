// SPDX-License-Identifier: Apache-2.0
// What is known of values, as polynomials that are not negative, and what follows from it.
#pragma once

#include "coordinates/polynomial.h"

#include <vector>

namespace relayout::rewriter {

class Facts {
public:
  void addNonNegative(Polynomial polynomial);
  void addEqual(const Polynomial &a, const Polynomial &b) {
    addNonNegative(a - b);
    addNonNegative(b - a);
  }

  /// True only where the polynomial is at least zero whenever all facts hold: it is a sum of facts,
  /// each a positive number of times, and a number that is not negative.
  [[nodiscard]] bool proveNonNegative(const Polynomial &polynomial) const;
  /// a < b.
  [[nodiscard]] bool proveLess(const Polynomial &a, const Polynomial &b) const {
    return proveNonNegative(b - a - Polynomial(1));
  }

private:
  [[nodiscard]] bool prove(const Polynomial &polynomial, int depth, int &steps) const;

  std::vector<Polynomial> facts_;
};

} // namespace relayout::rewriter
