// SPDX-License-Identifier: Apache-2.0
// What the units of a program define, by symbol, and which files they read.
#pragma once

#include "pass/untyped_uses.h"

#include <set>
#include <string>
#include <vector>

namespace relayout::instrument {
class ParsedUnit;
}

namespace relayout::rewriter {

struct Definitions {
  std::set<std::string> ofCxx;                 ///< and of CUDA
  std::set<std::string> ofC;                   ///< which has no views
  std::vector<std::vector<std::string>> files; ///< by unit: see filesByEnd()
  std::set<std::string> filesForC;             ///< those that units in C read
  std::set<std::string> filesInBracesOfC;      ///< those that some unit reads as filesInBracesOfC()
  UntypedUses untyped;
  unsigned unitsOfCuda = 0;

  /// True where what calls a function with C linkage is known: the program is whole, and in C++.
  [[nodiscard]] bool knowsCallersOfC() const {
    const auto main = ofCxx.lower_bound("c:@F@main#");
    return ofC.empty() && main != ofCxx.end() && main->starts_with("c:@F@main#");
  }

  /// Whether every unit that reads one file reads the other, too.
  [[nodiscard]] bool areReadTogether(const std::string &file, const std::string &other) const;

  /// False where one unit reads them in one order, and another in the other.
  [[nodiscard]] bool areReadInOneOrder(const std::string &file, const std::string &other) const;
};

/// The user's files that a unit reads, in the order in which their texts end.
[[nodiscard]] std::vector<std::string> filesByEnd(instrument::ParsedUnit &unit);

/// The user's files that other files include between the braces of `extern "C"`.
[[nodiscard]] std::set<std::string> filesInBracesOfC(instrument::ParsedUnit &unit);

} // namespace relayout::rewriter
