// SPDX-License-Identifier: Apache-2.0
// Policy nakai, second step: what each site says for AoS or for SoA.
#include "relayout/analysis/nakai/weights.h"

#include <map>
#include <string>
#include <utility>

namespace relayout::analysis {
namespace {

/// Innermost loop of each site as each kernel sees it, by kernel name and site index.
std::map<std::pair<std::string, trace::Index>, trace::Index>
loopsByReach(const trace::SiteTable &table) {
  std::map<std::pair<std::string, trace::Index>, trace::Index> loops;
  for (const trace::Reach &reach : table.reaches)
    loops.insert_or_assign({table.kernels[reach.kernel].name, reach.site}, reach.loop);
  return loops;
}

} // namespace

double siteWeight(AccessClass accessClass, double averageThreads, std::uint64_t executions) {
  const auto count = static_cast<double>(executions);
  switch (accessClass) {
  case AccessClass::Unobserved:
    return 0;
  case AccessClass::UnCoalesce:
  case AccessClass::ShareCoalesce:
    return kWeightForAos * count;
  case AccessClass::Coalesce:
    return kWeightForSoa * averageThreads / trace::kWarpLanes * count;
  }
  return 0;
}

std::vector<SiteRow> weighSites(const trace::Trace &trace, const Observations &observations) {
  const auto loops = loopsByReach(trace.sites);
  const std::map<std::uint32_t, Observation> anywhere = bySite(observations);
  std::vector<SiteRow> rows;
  for (const trace::SiteCount &count : trace.counts) {
    const std::optional<trace::Index> index = trace::findSite(trace.sites, count.site);
    if (!index || count.warpAccesses == 0)
      continue;
    const trace::Site &site = trace.sites.sites[*index];
    if (site.record == trace::kNone || trace::isInSharedMemory(trace.sites, site.group))
      continue;

    SiteRow row;
    row.kernel = count.kernel;
    row.site = *index;
    row.warpAccesses = count.warpAccesses;
    row.laneAccesses = count.laneAccesses;
    row.recorded = count.recorded;
    const auto reach = loops.find({trace.kernels[count.kernel], *index});
    row.loop = reach == loops.end() ? site.loop : reach->second;

    if (const auto own = observations.find({count.kernel, count.site}); own != observations.end()) {
      row.observation = own->second;
      row.evidence = Evidence::Own;
    } else if (const auto other = anywhere.find(count.site); other != anywhere.end()) {
      row.observation = other->second;
      row.evidence = Evidence::OtherKernels;
    }
    row.accessClass = row.observation.accessClass();
    row.averageThreads = row.observation.averageThreads();
    row.weight = siteWeight(row.accessClass, row.averageThreads, row.warpAccesses);
    rows.push_back(row);
  }
  return rows;
}

} // namespace relayout::analysis
