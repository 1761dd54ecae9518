// SPDX-License-Identifier: Apache-2.0
// Accesses of a traced program outside every array that it allocated.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/trace_handle.h"

#include <cstdint>
#include <optional>

namespace relayout::tool {

struct OutOfBoundsAccesses {
  std::uint64_t warpAccesses = 0; ///< recorded ones with at least one lane outside
  SourcePlace first;              ///< of the site of the first one
};

/// Looks at the addresses in the trace; memory that was ever allocated counts as inside.
/// \returns  nothing where every recorded access lies in an array
/// \error RL-T… as the trace's source
[[nodiscard]] Result<std::optional<OutOfBoundsAccesses>>
outOfBoundsAccesses(const trace::TraceHandle &trace);

} // namespace relayout::tool
