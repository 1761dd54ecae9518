// SPDX-License-Identifier: Apache-2.0
// Policy replay: what a walk takes under a layout, where its machine code is known.
#pragma once

#include "relayout/analysis/replay/memory/placed_array.h"
#include "relayout/analysis/replay/stream/sample.h"
#include "replay/sm/loop_replay.h"

namespace relayout::analysis {

/// The loop of a walk on an SM in one launch.
/// \param scale  of the kernel, with its code
/// \returns  0 where the code is not known
[[nodiscard]] WalkTime walkTime(const trace::Trace &trace, const ReplaySample &sample,
                                const KernelSample &kernel, const KernelScale &scale,
                                const BoundLayouts &bound, const Machine &machine);

} // namespace relayout::analysis
