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
  Kept,   ///< as asked, and values of plain arrays stay in registers as if nothing aliased
  Traced, ///< as large as it was traced
  Filled, ///< of kernels that look at all pairs, so large that each SM has all warps that fit
  Itself, ///< the traced run, where that may be the real one: as large, and no more launches
};

/// "extrapolated".
[[nodiscard]] const char *footprintName(Footprint footprint);

/// The sample at one of these sizes.
struct SizedSample {
  const trace::Trace *trace = nullptr; ///< that the sample is of
  Footprint footprint = Footprint::Asked;
  ReplaySample sample;
  bool isOfOtherRun = false; ///< of the program with other arguments; see OtherRun
};

/// What a layout has to hold at: the size that is asked for, and where warps access elements of
/// plain arrays again, with these kept as well. If that size is not the traced one, locality is not
/// known, as it does not scale by multiplication, and all count; Spread where some accesses gather
/// over a whole array; Traced unless the user says how large the run is, and Filled then where
/// kernels look at all pairs. Itself where the traced run may be the real one.
/// \returns  Footprint::Asked first
[[nodiscard]] std::vector<SizedSample> sizesOf(const trace::Trace &trace,
                                               const ReplaySample &sample, const Machine &machine);

} // namespace relayout::analysis
