// SPDX-License-Identifier: Apache-2.0
// Policy replay: the sizes that the real run may have, of which a small trace shows one.
#pragma once

#include "relayout/analysis/replay/stream/sample.h"

#include <vector>

namespace relayout::analysis {

/// How the real run is taken to differ from the traced one.
enum class Footprint {
  Asked,  ///< so many times as large as RunScale says; what a block touches is unchanged
  Spread, ///< as large, and gathers over a whole array reach all over the larger one
  Traced, ///< as large as it was traced
};

/// "extrapolated".
[[nodiscard]] const char *footprintName(Footprint footprint);

/// The sample at one of these sizes.
struct SizedSample {
  Footprint footprint = Footprint::Asked;
  ReplaySample sample;
};

/// The sizes at which a layout has to hold: one where the run is decided for as it was traced. Else
/// locality is not known, as it does not scale by multiplication, and all of them count; Spread
/// where some accesses gather over a whole array.
/// \returns  Footprint::Asked first
[[nodiscard]] std::vector<SizedSample> sizesOf(const trace::Trace &trace,
                                               const ReplaySample &sample, const Machine &machine);

} // namespace relayout::analysis
