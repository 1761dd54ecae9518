// SPDX-License-Identifier: Apache-2.0
// What the units of a program define, by symbol.
#pragma once

#include <set>
#include <string>

namespace relayout::rewriter {

struct Definitions {
  std::set<std::string> ofCxx; ///< and of CUDA
  std::set<std::string> ofC;   ///< which has no views

  /// True where what calls a function with C linkage is known: the program is whole, and in C++.
  [[nodiscard]] bool knowsCallersOfC() const {
    const auto main = ofCxx.lower_bound("c:@F@main#");
    return ofC.empty() && main != ofCxx.end() && main->starts_with("c:@F@main#");
  }
};

} // namespace relayout::rewriter
