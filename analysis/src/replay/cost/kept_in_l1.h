// SPDX-License-Identifier: Apache-2.0
// Policy replay: arrays that L1 holds from end to end.
#pragma once

#include "relayout/analysis/replay/memory/placed_array.h"
#include "relayout/analysis/replay/sm/kernel_counts.h"
#include "relayout/analysis/replay/stream/sample.h"

namespace relayout::analysis {

/// What is replayed of a warp is its begin, where lines come for the first time. If L1 holds all
/// that the kernel accesses, an SM misses a line of what it only reads once a launch, however long
/// its warps go on. Takes from the counts what they would miss beyond that.
/// \param scale   of the counts to all launches
/// \param counts  of the kernel's waves
void keepInL1(const trace::Trace &trace, const WarpStream &stream, trace::Index kernel,
              const KernelScale &scale, const BoundLayouts &bound, const Machine &machine,
              KernelCounts &counts);

} // namespace relayout::analysis
