// SPDX-License-Identifier: Apache-2.0
// Counts atomics by array.
#include "replay/stream/hot_atomics.h"

#include "relayout/analysis/gpu/fit.h"

#include <algorithm>
#include <map>

namespace relayout::analysis {

bool hasAtomics(const ReplaySample &sample, const KernelSample &kernel,
                const std::set<trace::Index> &groups) {
  return std::ranges::any_of(
      sample.stream.kernels[kernel.kernel].accessSets, [&](const AccessSet &set) {
        return set.atomics != 0 && groups.contains(sample.stream.arrays[set.array].group);
      });
}

bool hasHotAtomics(const trace::Trace &trace, const ReplaySample &sample,
                   const KernelSample &kernel, const std::set<trace::Index> &groups) {
  std::map<std::uint32_t, std::set<std::uint32_t>> sites; ///< their ids, by array
  for (const AccessSet &set : sample.stream.kernels[kernel.kernel].accessSets)
    if (set.atomics != 0 && groups.contains(sample.stream.arrays[set.array].group))
      for (const std::uint32_t site : set.sites)
        sites[set.array].insert(trace.sites.sites[site].id);
  if (sites.empty())
    return false;
  const auto launches = static_cast<double>(
      std::ranges::count(trace.launches, kernel.kernel, &trace::Launch::kernel));
  for (const auto &[array, ids] : sites) {
    double atomics = 0;
    for (const trace::SiteCount &count : trace.counts)
      if (count.kernel == kernel.kernel && ids.contains(count.site))
        atomics += static_cast<double>(count.laneAccesses);
    const auto elements = static_cast<double>(sample.stream.arrays[array].elements);
    if (elements <= fit::kHotElements && atomics >= fit::kHotAtomics * elements * launches)
      return true;
  }
  return false;
}

bool hasScatteredAtomics(const ReplaySample &sample, const KernelSample &kernel,
                         const std::set<trace::Index> &groups) {
  const std::vector<AccessSet> &sets = sample.stream.kernels[kernel.kernel].accessSets;
  const auto isScattered = [&](const Bundle &bundle) {
    const AccessSet &set = sets[bundle.accessSet];
    return set.atomics != 0 && bundle.pattern.offsets != LanePattern::kAffine &&
           groups.contains(sample.stream.arrays[set.array].group);
  };
  return std::ranges::any_of(kernel.waves, [&](const Wave &wave) {
    return std::ranges::any_of(wave.warps, [&](const WarpRun &run) {
      return std::ranges::any_of(run.bundles, isScattered);
    });
  });
}

} // namespace relayout::analysis
