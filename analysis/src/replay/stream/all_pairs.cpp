// SPDX-License-Identifier: Apache-2.0
// Looks for warps that step through a whole array, one element for all lanes at a time.
#include "replay/stream/all_pairs.h"

#include "relayout/analysis/gpu/fit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <set>

namespace relayout::analysis {
namespace {

/// Of fewer elements an array is a table.
constexpr double kFewestVisited = 128;

/// What warps were sampled to visit of an array, all lanes at one element.
struct Visits {
  double elements = 0; ///< one behind the other
  double steps = 0;    ///< between their numbers
  double executed = 0; ///< bundles of all warps
  double bundles = 0;  ///< of these, in the sample
};

std::map<std::uint32_t, Visits> visitsOf(const ReplaySample &sample, const KernelSample &kernel) {
  const std::vector<AccessSet> &sets = sample.stream.kernels[kernel.kernel].accessSets;
  std::map<std::uint32_t, Visits> visits; // by array
  for (const Wave &wave : kernel.waves)
    for (const WarpRun &run : wave.warps) {
      std::map<std::uint32_t, std::uint64_t> before;
      for (const Bundle &bundle : run.bundles) {
        if (bundle.pattern.offsets != LanePattern::kAffine || bundle.pattern.stride != 0)
          continue;
        const std::uint32_t array = sets[bundle.accessSet].array;
        Visits &own = visits[array];
        ++own.bundles;
        own.executed += kernel.scale.bySet[bundle.accessSet];
        const auto [last, isNew] = before.try_emplace(array, bundle.pattern.base);
        if (last->second == bundle.pattern.base)
          continue;
        ++own.elements;
        own.steps +=
            std::abs(static_cast<double>(bundle.pattern.base) - static_cast<double>(last->second));
        last->second = bundle.pattern.base;
      }
    }
  return visits;
}

/// The arrays of which the warps of a kernel with a thread for each element step through most.
/// \param sample  of the traced run, as large as it was
std::set<std::uint32_t> steppedThrough(const trace::Trace &trace, const ReplaySample &sample,
                                       const KernelSample &kernel) {
  std::set<std::uint32_t> arrays;
  const double threads = kernel.scale.tracedBlocks * kernel.scale.threadsPerBlock;
  const double warps = kernel.scale.launches * kernel.scale.blocksPerLaunch *
                       std::ceil(kernel.scale.threadsPerBlock / double{trace::kWarpLanes});
  for (const auto &[array, own] : visitsOf(sample, kernel)) {
    if (trace::isInSharedMemory(trace.sites, sample.stream.arrays[array].group))
      continue; // a block's, as large in every run
    const auto elements = static_cast<double>(sample.stream.arrays[array].elements);
    if (elements >= kFewestVisited && elements >= threads / 2 && elements <= threads * 2 &&
        own.steps <= own.elements * 2 &&
        own.executed / warps * own.elements / own.bundles >= fit::kWholeArrayReach * elements)
      arrays.insert(array);
  }
  return arrays;
}

/// Sites that a kernel executes about as often as those that step through the arrays.
KernelLaw lawOfPairs(const trace::Trace &trace, const ReplaySample &sample,
                     const KernelSample &kernel, const std::set<std::uint32_t> &arrays) {
  std::map<std::uint32_t, double> executed;
  for (const trace::SiteCount &row : trace.counts)
    if (row.kernel == kernel.kernel)
      if (const auto site = trace::findSite(trace.sites, row.site))
        executed[*site] += static_cast<double>(row.warpAccesses);
  KernelLaw law;
  law.arithmetic = 2;
  double most = 0;
  for (const AccessSet &set : sample.stream.kernels[kernel.kernel].accessSets)
    if (arrays.contains(set.array))
      for (const std::uint32_t site : set.sites) {
        most = std::max(most, executed[site]);
        law.walkedSites.insert(site);
      }
  for (const auto &[site, times] : executed)
    law.accesses[site] = times * 2 >= most ? 2 : 1;
  return law;
}

} // namespace

AllPairs allPairsOf(const trace::Trace &trace, const ReplaySample &scaled, const Machine &machine) {
  const ReplaySample sample = rescaled(trace, scaled, machine, {});
  AllPairs pairs;
  for (const KernelSample &kernel : sample.kernels) {
    const double threads = kernel.scale.tracedBlocks * kernel.scale.threadsPerBlock;
    const std::set<std::uint32_t> arrays = steppedThrough(trace, sample, kernel);
    if (threads == 0 || arrays.empty())
      continue;
    pairs.mostElements =
        std::min(pairs.mostElements,
                 std::max(1.0, fit::kWarpsOfAllPairs * trace::kWarpLanes * machine.sms / threads));
    pairs.elementsThatFill = std::max(
        pairs.elementsThatFill, std::ceil(static_cast<double>(machine.sms) *
                                          kernel.scale.residentBlocks / kernel.scale.tracedBlocks));
    pairs.law.kernels[trace.kernels[kernel.kernel]] = lawOfPairs(trace, sample, kernel, arrays);
  }
  return pairs;
}

} // namespace relayout::analysis
