// SPDX-License-Identifier: Apache-2.0
// Policy replay: how far the accesses of a warp reach.
#pragma once

#include "relayout/analysis/replay/stream/sample.h"

#include <cstddef>
#include <vector>

namespace relayout::analysis {

/// What one access set reaches in the sample.
struct Reach {
  double bundles = 0;
  double irregular = 0; ///< of these, with lanes at elements that do not rise evenly
  double widest = 0;    ///< elements between the first and the last that one warp touched
  double apart = 0; ///< elements between a lane and the next in order, median of irregular bundles
};

/// By access set of the kernel, of which there are `sets`.
[[nodiscard]] std::vector<Reach> reachesOf(const KernelSample &kernel, std::size_t sets);

} // namespace relayout::analysis
