// SPDX-License-Identifier: Apache-2.0
// Shares what bundles do among the sites they are made of.
#include "replay/cost/site_traffic.h"

#include <algorithm>

namespace relayout::analysis {

std::map<std::uint32_t, SiteTraffic> siteTraffic(const trace::SiteTable &sites,
                                                 const KernelStream &stream,
                                                 const KernelCounts &counts,
                                                 const KernelScale &scale) {
  std::map<std::uint32_t, SiteTraffic> result;
  for (std::size_t s = 0; s < counts.sets.size(); ++s) {
    const SetCounts &set = counts.sets[s];
    double bytes = 0;
    for (const std::uint32_t site : stream.accessSets[s].sites)
      bytes += sites.sites[site].bytes;
    for (const std::uint32_t site : stream.accessSets[s].sites) {
      const double share = scale.bySet[s] * sites.sites[site].bytes / std::max(bytes, 1.0);
      SiteTraffic &traffic = result[site];
      traffic.instructions +=
          share * static_cast<double>(set.readInstructions + set.writeInstructions);
      traffic.usedBytes += share * static_cast<double>(set.usedBytes);
      traffic.sectors += share * static_cast<double>(set.readSectors + set.writeSectors);
      traffic.movedBytes +=
          share * kSectorBytes *
          (static_cast<double>(set.readSectors - set.readHits) + set.l2WriteSectors);
    }
  }
  return result;
}

} // namespace relayout::analysis
