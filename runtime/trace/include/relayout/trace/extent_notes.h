// SPDX-License-Identifier: Apache-2.0
// What host code says of the extents of the array that it allocates next. Of one thread.
#pragma once

#include "relayout/trace/trace.h"

#include <vector>

namespace relayout::trace {

class ExtentNotes {
public:
  /// The call of a function that allocates begins.
  /// \param factors  what the caller knows: of what leads to factors of the array's subscripts, the
  ///                 nearest first
  void callBegins(std::vector<Extent> factors) { callers_.push_back(std::move(factors)); }
  void callEnds() { callers_.pop_back(); }

  /// All that is known of an array that is allocated now, each once: names that lead to a factor of
  /// its subscripts, the function's own in front and then its callers', the innermost first; last
  /// what else there is. A caller's name is left out if the function has another meaning for it.
  /// \param factors  as above, of the function that allocates
  /// \param others   names and constants of that function
  [[nodiscard]] std::vector<Extent> of(const std::vector<Extent> &factors,
                                       const std::vector<Extent> &others) const;

private:
  std::vector<std::vector<Extent>> callers_; ///< the innermost last
};

} // namespace relayout::trace
