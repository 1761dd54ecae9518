// SPDX-License-Identifier: Apache-2.0
// Policy replay: kernels in which every thread looks at all elements, as those of n bodies. Their
// work grows with the square, so that real runs have few elements for what they take.
#pragma once

#include "relayout/analysis/replay/stream/growth.h"
#include "relayout/analysis/replay/stream/sample.h"

#include <limits>

namespace relayout::analysis {

struct AllPairs {
  /// How many times as many elements as the traced run a real one has at most.
  double mostElements = std::numeric_limits<double>::infinity();
  /// With how many times as many a launch has all blocks that the GPU can run side by side.
  double elementsThatFill = 0;
  GrowthLaw law; ///< of these kernels: what is done for each pair grows with the square
};

/// \returns  no limit and no law of programs without such kernels
[[nodiscard]] AllPairs allPairsOf(const trace::Trace &trace, const ReplaySample &sample,
                                  const Machine &machine);

} // namespace relayout::analysis
