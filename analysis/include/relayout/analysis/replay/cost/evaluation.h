// SPDX-License-Identifier: Apache-2.0
// Policy replay: what one kernel takes under a candidate layout.
#pragma once

#include "relayout/analysis/layout/layout.h"
#include "relayout/analysis/replay/cost/kernel_time.h"
#include "relayout/analysis/replay/stream/sample.h"

#include <vector>

namespace relayout::analysis {

struct KernelEvaluation {
  KernelCounts counts;
  KernelVolume volume;
  KernelTime time;
};

/// Replays one kernel's sample.
/// \param layouts  by group; null keeps the source's record
/// \param scale    of the kernel, where it is another one than the sample's
/// \error as AddressFunction::bind
[[nodiscard]] Result<KernelEvaluation>
evaluateKernel(const trace::Trace &trace, const ReplaySample &sample, const KernelSample &kernel,
               const std::vector<const Layout *> &layouts, const Machine &machine,
               double otherNs = 0, const KernelScale *scale = nullptr);

} // namespace relayout::analysis
