// SPDX-License-Identifier: Apache-2.0
// One kernel's sample through the SM, the memory and the clock.
#include "relayout/analysis/replay/cost/evaluation.h"

#include "relayout/analysis/gpu/fit.h"
#include "relayout/analysis/replay/sm/sm_replay.h"
#include "replay/cost/kept_in_l1.h"
#include "replay/cost/walk_time.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace relayout::analysis {
namespace {

/// Bytes of the arrays that the kernel accesses, in the run that is decided for.
double bytesOfArrays(const trace::Trace &trace, const ReplaySample &sample,
                     const KernelSample &kernel, const KernelScale &scale) {
  std::vector<bool> isSeen(sample.stream.arrays.size());
  double bytes = 0;
  for (const AccessSet &set : sample.stream.kernels[kernel.kernel].accessSets) {
    const ReplayArray &array = sample.stream.arrays[set.array];
    if (isSeen[set.array] || array.group == trace::kNone ||
        trace::isInSharedMemory(trace.sites, array.group))
      continue;
    isSeen[set.array] = true;
    bytes += scale.elements * static_cast<double>(array.elements) *
             static_cast<double>(trace.sites.records[trace.sites.groups[array.group].record].bytes);
  }
  return bytes;
}

/// Whether warps go on for long after what is replayed of them.
bool isCutShort(const KernelSample &kernel, const KernelScale &scale) {
  double executed = 0;
  double warps = 0;
  for (const Wave &wave : kernel.waves) {
    warps += static_cast<double>(wave.warps.size());
    for (const WarpRun &warp : wave.warps)
      for (const Bundle &bundle : warp.bundles)
        executed += scale.bySet[bundle.accessSet];
  }
  const auto replayed = static_cast<double>(kernel.bundles);
  const double all =
      scale.launches * scale.blocksPerLaunch * static_cast<double>(warpsOf(scale.threadsPerBlock));
  return fit::kCutShort * replayed / std::max(warps, 1.0) < executed / std::max(all, 1.0);
}

/// Blocks of which each finds in L1 what the ones before have left. Warps that are cut short leave
/// what they came by last, which is not what is replayed, unless all of it fits. A small run has
/// few blocks, which tell nothing of that.
double blocksInTurn(const trace::Trace &trace, const ReplaySample &sample,
                    const KernelSample &kernel, const KernelScale &scale, const Machine &machine) {
  if (!scale.isRealRun)
    return std::numeric_limits<double>::infinity();
  const double together = scale.blocksOfAnSm(machine);
  if (bytesOfArrays(trace, sample, kernel, scale) > static_cast<double>(scale.l1Bytes) &&
      isCutShort(kernel, scale))
    return together;
  return std::max(together, scale.blocksPerLaunch / machine.sms);
}

} // namespace

Result<KernelEvaluation> evaluateKernel(const trace::Trace &trace, const ReplaySample &sample,
                                        const KernelSample &kernel,
                                        const std::vector<const Layout *> &layouts,
                                        const Machine &machine, double otherNs,
                                        const KernelScale *given) {
  const KernelScale &scale = given != nullptr ? *given : kernel.scale;
  BoundLayouts bound(trace.sites, layouts);
  if (const Result<void> covered = bound.cover(sample.stream); !covered)
    return tl::unexpected(covered.error());
  SmReplay sm(machine, scale.l1Bytes, static_cast<std::uint32_t>(scale.blocksOfAnSm(machine)),
              blocksInTurn(trace, sample, kernel, scale, machine));
  sm.prepare(kernel.kernel, sample.stream, bound, trace.sites);
  for (const Wave &wave : kernel.waves)
    sm.replay(wave, bound);
  KernelEvaluation evaluation;
  evaluation.counts = sm.counts();
  keepInL1(trace, sample.stream, kernel.kernel, scale, bound, machine, evaluation.counts);
  const WalkTime walked = walkTime(trace, sample, kernel, scale, bound, machine);
  const auto timed = [&](double launchNs) {
    evaluation.volume = scaleUp(evaluation.counts, scale, machine, launchNs);
    evaluation.volume.walkNs = scale.launches * walked.ns;
    evaluation.volume.walkIssued = walked.issued;
    evaluation.volume.walkingWarps = scale.blocksOfAnSm(machine) *
                                     static_cast<double>(warpsOf(scale.threadsPerBlock)) /
                                     kSchedulers;
    evaluation.time = timeOf(evaluation.volume, scale, machine, otherNs);
  };
  timed(0);
  if (scale.launches > 0)
    timed((evaluation.time.totalNs - evaluation.time.launchNs) / scale.launches);
  return evaluation;
}

} // namespace relayout::analysis
