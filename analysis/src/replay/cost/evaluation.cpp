// SPDX-License-Identifier: Apache-2.0
// One kernel's sample through the SM, the memory and the clock.
#include "relayout/analysis/replay/cost/evaluation.h"

#include "relayout/analysis/replay/sm/sm_replay.h"

namespace relayout::analysis {

Result<KernelEvaluation> evaluateKernel(const trace::Trace &trace, const ReplaySample &sample,
                                        const KernelSample &kernel,
                                        const std::vector<const Layout *> &layouts,
                                        const Machine &machine, double otherNs,
                                        const KernelScale *given) {
  const KernelScale &scale = given != nullptr ? *given : kernel.scale;
  BoundLayouts bound(trace.sites, layouts);
  if (const Result<void> covered = bound.cover(sample.stream); !covered)
    return tl::unexpected(covered.error());
  SmReplay sm(machine, scale.l1Bytes, static_cast<std::uint32_t>(scale.blocksOfAnSm(machine)));
  sm.prepare(kernel.kernel, sample.stream, bound, trace.sites);
  for (const Wave &wave : kernel.waves)
    sm.replay(wave, bound);
  KernelEvaluation evaluation;
  evaluation.counts = sm.counts();
  const auto timed = [&](double launchNs) {
    evaluation.volume = scaleUp(evaluation.counts, scale, machine, launchNs);
    evaluation.time = timeOf(evaluation.volume, scale, machine, otherNs);
  };
  timed(0);
  if (scale.launches > 0)
    timed((evaluation.time.totalNs - evaluation.time.launchNs) / scale.launches);
  return evaluation;
}

} // namespace relayout::analysis
