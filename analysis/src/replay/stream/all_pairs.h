// SPDX-License-Identifier: Apache-2.0
// Policy replay: kernels in which every thread looks at all elements, as those of n bodies. Their
// work grows with the square, so that real runs have few elements for what they take.
#pragma once

#include "relayout/analysis/replay/stream/sample.h"

namespace relayout::analysis {

/// \returns  of such a program, how many times as many elements as the traced run a real one has at
///           most; infinity of others
[[nodiscard]] double mostElements(const trace::Trace &trace, const ReplaySample &sample,
                                  const Machine &machine);

} // namespace relayout::analysis
