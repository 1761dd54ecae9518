// SPDX-License-Identifier: Apache-2.0
// Factors from what was kept of a kernel to all its launches.
#include "replay/stream/scale_of.h"

#include "replay/stream/arithmetic.h"
#include "replay/stream/residency.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace relayout::analysis {

double KernelScale::blocksOfAnSm(const Machine &machine) const {
  return std::clamp(std::ceil(blocksPerLaunch / machine.sms), 1.0,
                    std::max(static_cast<double>(residentBlocks), 1.0));
}

KernelScale scaleOf(const trace::Trace &trace, trace::Index kernel, const WarpStream &warps,
                    const std::vector<std::uint64_t> &kept, const Machine &machine,
                    const RunScale &run) {
  const KernelStream &stream = warps.kernels[kernel];
  KernelScale scale;
  scale.elements = run.elements;
  const auto known = run.kernels.find(trace.kernels[kernel]);
  KernelGrowth growth;
  growth.launches = run.launches;
  growth.blocks = run.elements;
  growth.arithmetic = run.elements * run.launches;
  const double accesses = growth.arithmetic; // where nothing is known of a site
  if (known != run.kernels.end())
    growth = known->second;
  double blocks = 0;
  std::uint64_t listed = 0;
  for (const trace::Launch &launch : trace.launches) {
    if (launch.kernel != kernel)
      continue;
    ++listed;
    blocks += static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    if (listed != 1)
      continue;
    const Residency resident = residency(launch, registersOf(trace, warps.code, kernel), machine);
    scale.residentBlocks = resident.blocks;
    scale.threadsPerBlock = launch.block[0] * launch.block[1] * launch.block[2];
    scale.l1Bytes = resident.l1Bytes;
  }
  // Launches beyond the listed ones are taken to be spread over the kernels as the listed ones.
  if (!trace.launches.empty())
    scale.launches = growth.launches * static_cast<double>(listed) *
                     static_cast<double>(std::max<std::uint64_t>(trace.launchesExecuted, 1)) /
                     static_cast<double>(trace.launches.size());
  scale.tracedBlocks = listed == 0 ? 0 : blocks / static_cast<double>(listed);
  scale.blocksPerLaunch = growth.blocks * scale.tracedBlocks;

  scale.arithmetic = growth.arithmetic * arithmeticOf(trace, warps.code, kernel);

  const auto times = [&](std::uint32_t site) {
    const auto grown = growth.accesses.find(site);
    return grown == growth.accesses.end() ? accesses : grown->second;
  };
  std::map<std::uint32_t, double> executed; // in the run that is decided for
  for (const trace::SiteCount &row : trace.counts)
    if (row.kernel == kernel)
      if (const auto site = trace::findSite(trace.sites, row.site))
        executed[*site] = times(*site) * static_cast<double>(row.warpAccesses);
  for (std::size_t s = 0; s < stream.accessSets.size(); ++s) {
    double all = 0;
    double recorded = 0;
    for (const std::uint32_t site : stream.accessSets[s].sites) {
      const auto found = stream.recorded.find(site);
      recorded += found == stream.recorded.end() ? 0 : static_cast<double>(found->second);
      all += executed[site];
    }
    const double keptBundles = s < kept.size() ? static_cast<double>(kept[s]) : 0;
    scale.bySet.push_back(recorded == 0 || keptBundles == 0
                              ? 0
                              : all / recorded * static_cast<double>(stream.bundles[s]) /
                                    keptBundles);
  }
  return scale;
}

KernelScale withRegisters(KernelScale scale, const trace::Trace &trace, trace::Index kernel,
                          const Machine &machine, std::uint32_t registers) {
  const auto first = std::ranges::find(trace.launches, kernel, &trace::Launch::kernel);
  if (first == trace.launches.end())
    return scale;
  const Residency resident = residency(*first, registers, machine);
  scale.residentBlocks = resident.blocks;
  scale.l1Bytes = resident.l1Bytes;
  return scale;
}

} // namespace relayout::analysis
