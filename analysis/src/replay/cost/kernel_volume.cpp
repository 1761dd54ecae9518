// SPDX-License-Identifier: Apache-2.0
// Counts of the replayed blocks to the volumes of all launches.
#include "relayout/analysis/replay/cost/kernel_volume.h"

#include "replay/cost/adjacent_blocks.h"
#include "replay/cost/dram_traffic.h"

#include <algorithm>

namespace relayout::analysis {

KernelVolume scaleUp(const KernelCounts &counts, const KernelScale &scale, const Machine &machine,
                     double launchNs) {
  KernelVolume volume;
  double replayed = 0;
  double executed = 0;
  double uses = 0;
  for (std::size_t i = 0; i < counts.sets.size(); ++i) {
    const SetCounts &set = counts.sets[i];
    const double factor = scale.bySet[i];
    const auto memory = static_cast<double>(set.readInstructions + set.writeInstructions);
    volume.memoryInstructions += factor * memory;
    volume.instructions += factor * (memory + static_cast<double>(set.otherInstructions));
    volume.stalls += factor * static_cast<double>(set.stalls);
    volume.longStalls += factor * static_cast<double>(set.longStalls);
    volume.lateStalls += factor * set.lateStalls;
    volume.placingCycles += factor * set.placingCycles;
    volume.multiLoadStalls += factor * static_cast<double>(set.multiLoadStalls);
    uses += factor * static_cast<double>(set.valueUses);
    volume.wavefronts += factor * static_cast<double>(set.wavefronts);
    volume.readSectors += factor * static_cast<double>(set.readSectors);
    volume.readHits += factor * static_cast<double>(set.readHits);
    volume.missLines += factor * static_cast<double>(set.missLines);
    volume.writeSectors += factor * static_cast<double>(set.writeSectors);
    volume.writeLines += factor * static_cast<double>(set.writeLines);
    volume.l2WriteSectors += factor * set.l2WriteSectors;
    volume.l2WholeSectors += factor * set.l2WholeSectors;
    volume.usedBytes += factor * static_cast<double>(set.usedBytes);
    replayed += static_cast<double>(set.bundles);
    executed += factor * static_cast<double>(set.bundles);
  }
  volume.instructions += std::max(scale.arithmetic.instructions - uses, 0.0);
  volume.doubles = scale.arithmetic.doubles;
  volume.specials = scale.arithmetic.specials;
  const double launches = scale.launches;
  volume.warps =
      launches * scale.blocksPerLaunch * static_cast<double>(warpsOf(scale.threadsPerBlock));
  if (replayed == 0 || launches == 0)
    return volume;

  const double perLaunch = executed / replayed / launches;
  if (const double missed = volume.readSectors - volume.readHits; missed > 0) {
    const double found =
        std::min(sharedInL1(counts, scale, machine) * executed / replayed / missed, 1.0);
    const double together = launchNs > 0 ? std::min(mergedMisses(counts, scale, machine, launchNs) *
                                                        executed / replayed / missed,
                                                    1.0)
                                         : 0;
    volume.readHits += missed * found;
    volume.mergedMisses = missed * (1 - found) * together;
    volume.missLines *= (1 - found) * (1 - together);
  }
  addDramTraffic(counts, scale, machine, perLaunch, volume);
  return volume;
}

} // namespace relayout::analysis
