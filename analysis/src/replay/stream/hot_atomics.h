// SPDX-License-Identifier: Apache-2.0
// Policy replay: atomics that meet at few elements, as those of a histogram.
#pragma once

#include "relayout/analysis/replay/stream/sample.h"

#include <set>

namespace relayout::analysis {

/// Whether a kernel does atomics on arrays of these groups.
[[nodiscard]] bool hasAtomics(const ReplaySample &sample, const KernelSample &kernel,
                              const std::set<trace::Index> &groups);

/// Whether a kernel does many atomics to each of few elements of these groups in a launch. L2 takes
/// them one after the other, which the model does not have.
[[nodiscard]] bool hasHotAtomics(const trace::Trace &trace, const ReplaySample &sample,
                                 const KernelSample &kernel, const std::set<trace::Index> &groups);

/// Whether lanes of a warp do atomics at data-dependent addresses of these groups, as in a hash
/// table. How many of them contend depends on sizes that need not grow together.
[[nodiscard]] bool hasScatteredAtomics(const ReplaySample &sample, const KernelSample &kernel,
                                       const std::set<trace::Index> &groups);

} // namespace relayout::analysis
