// SPDX-License-Identifier: Apache-2.0
// What adjacent blocks find in L1, or ask L2 for together.
#include "replay/cost/adjacent_blocks.h"

#include "relayout/analysis/gpu/fit.h"

#include <algorithm>
#include <cmath>

namespace relayout::analysis {
namespace {

/// How the blocks of a kernel follow one another through a region.
struct Following {
  double step = 0;  ///< granules from a block to the next
  double share = 0; ///< of a granule's sectors, what a block that touches it misses
};

/// \returns a step of 0 where blocks do not share by being neighbours
Following followingOf(const ArrayTraffic &traffic, const KernelCounts &counts,
                      const KernelScale &scale) {
  Following following;
  const auto blocks = static_cast<double>(counts.blocks);
  const double range = rangeOf(traffic, counts, scale);
  // One block does not tell how far the next one is.
  if (counts.blocks < 2 || range <= 0 || traffic.touched <= 0 || scale.blocksPerLaunch <= 1 ||
      traffic.touched / blocks > fit::kWide * range)
    return following;
  following.step = range / scale.blocksPerLaunch;
  following.share = std::min(traffic.missedSectors / (kSectorsAGranule * traffic.touched), 1.0);
  return following;
}

} // namespace

double rangeOf(const ArrayTraffic &traffic, const KernelCounts &counts, const KernelScale &scale) {
  if (traffic.firstGranule > traffic.lastGranule)
    return 0;
  const auto seen = static_cast<double>(traffic.lastGranule - traffic.firstGranule + 1);
  const double ofBlock =
      std::min(traffic.span / std::max(static_cast<double>(counts.blocks), 1.0), seen);
  const double grid = scale.tracedBlocks;
  const double apart = counts.lastBlock > counts.firstBlock
                           ? static_cast<double>(counts.lastBlock - counts.firstBlock)
                           : 1;
  return scale.elements * (ofBlock + (seen - ofBlock) * std::max((grid - 1) / apart, 1.0));
}

double sharedInL1(const KernelCounts &counts, const KernelScale &scale, const Machine &machine) {
  const auto blocks = static_cast<double>(counts.blocks);
  double lines = 0;
  for (const SetCounts &set : counts.sets)
    lines += static_cast<double>(set.missLines);
  if (blocks == 0 || lines == 0)
    return 0;
  const double blocksHeld = static_cast<double>(scale.l1Bytes) / kLineBytes / (lines / blocks);
  const double sms = machine.sms;
  double shared = 0;
  for (const ArrayTraffic &traffic : counts.reads) {
    const Following following = followingOf(traffic, counts, scale);
    if (following.step <= 0)
      continue;
    const double wanting = traffic.touched / blocks / following.step * following.share;
    if (wanting <= 1)
      continue;
    const double onSms = sms * (1 - std::pow(1 - 1 / sms, wanting));
    const double apart = traffic.span / blocks / following.step;
    const double stillHeld = std::min(blocksHeld * sms / std::max(apart, 1.0), 1.0);
    shared += traffic.missedSectors * (1 - onSms / wanting) * stillHeld;
  }
  return shared;
}

double mergedMisses(const KernelCounts &counts, const KernelScale &scale, const Machine &machine,
                    double launchNs) {
  const double startsEvery = launchNs / std::max(scale.blocksPerLaunch, 1.0);
  const double life =
      std::min(static_cast<double>(scale.residentBlocks) * machine.sms * startsEvery, launchNs);
  const double gpcs = machine.architecture.gpcs;
  double asked = 0;
  for (const ArrayTraffic &traffic : counts.reads) {
    const Following following = followingOf(traffic, counts, scale);
    if (following.step <= 0 || traffic.missedAtOnce <= 0)
      continue;
    const double together =
        traffic.touchedInRuns / traffic.touched / following.step * following.share;
    if (together <= 1)
      continue;
    // Any two of them are next to each other in two of `together` cases, and a third of them apart.
    const double inGpc = 1 / gpcs + (fit::kNextInGpc - 1 / gpcs) * std::min(2 / together, 1.0);
    const double gap = fit::kStartsApart * life + together / fit::kMeanGap * startsEvery;
    const double inTime = 1 - std::exp(-machine.l2LatencyNs / std::max(gap, 1.0));
    const double earlier = (together - 1) / 2;
    asked += traffic.missedAtOnce * std::min(earlier * inGpc * inTime, 1 - 1 / together);
  }
  return asked;
}

} // namespace relayout::analysis
