// SPDX-License-Identifier: Apache-2.0
// Accesses of a traced program outside every array that it allocated.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/trace.h"

#include <cstdint>
#include <optional>
#include <string>

namespace relayout::tool {

struct OutOfBoundsAccesses {
  std::uint64_t warpAccesses = 0; ///< recorded ones with at least one lane outside
  SourcePlace first;              ///< of the site of the first one
};

/// Looks at the addresses in the trace; memory that was ever allocated counts as inside.
/// \returns  nothing where every recorded access lies in an array
/// \error RL-T… as trace::forEachAccess
[[nodiscard]] Result<std::optional<OutOfBoundsAccesses>>
outOfBoundsAccesses(const trace::Trace &trace, const std::string &traceFile);

} // namespace relayout::tool
