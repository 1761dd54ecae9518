// SPDX-License-Identifier: Apache-2.0
// Policy replay: what of a kernel's traffic goes on to DRAM.
#pragma once

#include "relayout/analysis/replay/cost/kernel_volume.h"

namespace relayout::analysis {

/// Sets what of a volume is about DRAM. L2's part has to be there.
/// \param perLaunch  accesses of a launch for one that was replayed
void addDramTraffic(const KernelCounts &counts, const KernelScale &scale, const Machine &machine,
                    double perLaunch, KernelVolume &volume);

} // namespace relayout::analysis
