// SPDX-License-Identifier: Apache-2.0
// What the text and the JSON report of policy replay have in common.
#include "report/replay_terms.h"

#include <algorithm>

namespace relayout::analysis {

std::vector<LayoutField> fieldsOf(const ReplayAnalysis &analysis, const GroupReplay &group) {
  const trace::Index record = analysis.trace->sites.groups[group.group].record;
  return layoutFields(analysis.trace->sites.records[record]);
}

bool wasSearched(const GroupReplay &group) { return !group.candidates.empty(); }

std::string bindingName(const KernelTime &time) { return resourceName(bindingResource(time)); }

double dramBytes(const KernelVolume &volume) {
  return volume.dramReadBytes + volume.dramWriteBytes;
}

double l1Sectors(const KernelVolume &volume) { return volume.readSectors + volume.writeSectors; }

double l2Sectors(const KernelVolume &volume) {
  return volume.l2ReadSectors() + volume.l2WriteSectors;
}

std::pair<double, double> powersOfAccesses(const KernelLaw &law) {
  if (law.accesses.empty())
    return {1, 1};
  const auto [low, high] =
      std::ranges::minmax_element(law.accesses, {}, [](const auto &site) { return site.second; });
  return {low->second, high->second};
}

} // namespace relayout::analysis
