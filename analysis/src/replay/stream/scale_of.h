// SPDX-License-Identifier: Apache-2.0
// Policy replay: the scale of one kernel, from its trace.
#pragma once

#include "relayout/analysis/replay/stream/kernel_scale.h"
#include "relayout/analysis/replay/stream/warp_stream.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// \param kept  bundles of the sample by access set
[[nodiscard]] KernelScale scaleOf(const trace::Trace &trace, trace::Index kernel,
                                  const WarpStream &warps, const std::vector<std::uint64_t> &kept,
                                  const Machine &machine, const RunScale &run);

/// The scale of a kernel that a compiler gives so many registers.
[[nodiscard]] KernelScale withRegisters(KernelScale scale, const trace::Trace &trace,
                                        trace::Index kernel, const Machine &machine,
                                        std::uint32_t registers);

} // namespace relayout::analysis
