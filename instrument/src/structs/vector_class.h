// SPDX-License-Identifier: Apache-2.0
// The class that holds records in device memory where the program has a Thrust vector of them.
#pragma once

#include "model/vector_uses.h"

#include <set>
#include <string>
#include <utility>

namespace relayout::instrument {

struct VectorClass {
  std::string name;
  std::string element; ///< as the class writes it
  /// New elements are zeros, byte for byte; otherwise `element()` makes them.
  bool startsWithZeros = false;
  std::set<std::pair<VectorPart, std::string>> parts; ///< of all units
};

/// Its definition: what a vector can do, as far as the program uses it.
[[nodiscard]] std::string textOf(const VectorClass &vector);

} // namespace relayout::instrument
