// SPDX-License-Identifier: Apache-2.0
// Policy replay: what a layout of arrays in shared memory may take.
#pragma once

#include "relayout/analysis/gpu/machine.h"
#include "relayout/analysis/replay/stream/sample.h"

#include <optional>
#include <vector>

namespace relayout::analysis {

/// Whether as many blocks of each kernel share an SM as with the source's layouts, and a block's
/// variables stay within what CUDA allows them.
/// \param chosen  by group; none: the source's
/// \param group   in shared memory, which gets another layout than it has there
[[nodiscard]] bool fitsSharedMemory(const trace::Trace &trace, const ReplaySample &sample,
                                    const Machine &machine,
                                    std::vector<std::optional<Layout>> chosen, trace::Index group,
                                    const Layout &layout);

} // namespace relayout::analysis
