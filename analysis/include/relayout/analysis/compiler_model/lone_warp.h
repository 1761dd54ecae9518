// SPDX-License-Identifier: Apache-2.0
// The compiler model: how long the machine code of a kernel keeps a warp that runs alone.
#pragma once

#include "relayout/analysis/compiler_model/machine_code.h"
#include "relayout/analysis/gpu/machine.h"

namespace relayout::analysis {

/// Two ways to compile one source are compared by it: where loads wait for each other less, a warp
/// is through sooner. Everything that is not jumped over is taken to be executed, loops a fixed
/// number of times, and every load to come from L2.
/// \returns  cycles
[[nodiscard]] double loneWarpCycles(const MachineKernel &kernel, const Machine &machine);

} // namespace relayout::analysis
