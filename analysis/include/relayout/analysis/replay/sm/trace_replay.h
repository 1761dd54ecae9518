// SPDX-License-Identifier: Apache-2.0
// Policy replay: a whole trace, rather than a sample, through one assignment of layouts.
#pragma once

#include "relayout/analysis/replay/sm/kernel_counts.h"
#include "relayout/analysis/replay/sm/sm_replay.h"

#include <vector>

namespace relayout::analysis {

/// Replays all of a trace against one assignment of layouts, a few waves in memory at a time.
/// \returns  counts by trace kernel; they do not depend on the number of threads
/// \error as forEachWave and AddressFunction::bind
[[nodiscard]] Result<std::vector<KernelCounts>>
replayTrace(const trace::Trace &trace, const trace::AccessSource &accesses,
            const std::vector<const Layout *> &layouts, const Machine &machine, unsigned threads);

} // namespace relayout::analysis
