// SPDX-License-Identifier: Apache-2.0
// A trace as text a person can read: `relayout trace dump`.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/trace.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace relayout::trace {

struct DumpOptions {
  std::uint64_t accesses = 0; ///< warp accesses to print, in file order
};

/// Prints all of a trace, a piece at a time. An incomplete trace is printed as far as it goes.
/// \error as readTrace and forEachAccess; RL-T04 comes after the text
[[nodiscard]] Result<void> dump(const std::string &path, const DumpOptions &options,
                                const std::function<void(std::string_view)> &print);

/// One access on one line: place in the grid, site, mask, and the addresses as briefly as they
/// allow.
[[nodiscard]] std::string describe(const WarpAccess &access);

} // namespace relayout::trace
