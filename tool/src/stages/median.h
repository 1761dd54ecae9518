// SPDX-License-Identifier: Apache-2.0
// What stands for several measurements of one thing.
#pragma once

#include <algorithm>
#include <vector>

namespace relayout::tool {

/// \param values  at least one
[[nodiscard]] inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

} // namespace relayout::tool
