// SPDX-License-Identifier: Apache-2.0
// What the units of a program define, by symbol.
#pragma once

#include <set>
#include <string>

namespace relayout::rewriter {

struct Definitions {
  std::set<std::string> ofCxx; ///< and of CUDA
  std::set<std::string> ofC;   ///< which has no views
};

} // namespace relayout::rewriter
