// SPDX-License-Identifier: Apache-2.0
// Compares the device-to-host copies of two runs.
#pragma once

#include "relayout/trace/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace relayout::tool {

struct CopyComparison {
  std::size_t copies = 0;                ///< of the first run
  std::uint64_t bytes = 0;               ///< compared, over all copies
  std::uint64_t paddingBytes = 0;        ///< record padding, which has no meaning and is left out
  std::optional<std::string> difference; ///< the first one, in words

  [[nodiscard]] bool identical() const { return !difference; }
};

[[nodiscard]] CopyComparison compareCopies(const std::vector<trace::CopyDigest> &original,
                                           const std::vector<trace::CopyDigest> &rewritten);

} // namespace relayout::tool
