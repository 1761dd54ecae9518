// SPDX-License-Identifier: Apache-2.0
// GPU tracing: which functions a thread runs outside all loops.
#pragma once

#include "model/probe_points.h"

#include <set>

namespace relayout::instrument {

/// Kernels, and what they call outside loops, over any number of calls. Left out is what the unit
/// does not see called, and what may call itself.
[[nodiscard]] std::set<const SourceFunction *> functionsRunOnce(const Facts &facts);

} // namespace relayout::instrument
