// SPDX-License-Identifier: Apache-2.0
// Rescales a sample, and spreads its gathers.
#include "relayout/analysis/replay/stream/footprint.h"

#include "relayout/analysis/gpu/fit.h"
#include "replay/stream/all_pairs.h"
#include "replay/stream/kept_values.h"
#include "replay/stream/reach.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace relayout::analysis {
namespace {

/// Elements of a set's patterns: an array member's count each.
double elementsOf(const ReplaySample &sample, const trace::Trace &trace, const AccessSet &set) {
  const ReplayArray &array = sample.stream.arrays[set.array];
  double elements = static_cast<double>(array.elements);
  if (set.arrayField != trace::kNone)
    elements *=
        trace.sites.records[trace.sites.groups[array.group].record].fields[set.arrayField].pieces();
  return elements;
}

/// By access set: into how many elements each of those that it gathers goes; 1: it gathers none, or
/// what it gathers stays where it is. Without a law, gathers over a whole array reach all over the
/// larger one.
std::vector<double> spreadsOf(const trace::Trace &trace, const ReplaySample &sample,
                              const KernelSample &kernel, bool byLaw) {
  const std::vector<AccessSet> &sets = sample.stream.kernels[kernel.kernel].accessSets;
  const std::vector<Reach> reaches = reachesOf(kernel, sets.size());
  const auto grown = sample.run.kernels.find(trace.kernels[kernel.kernel]);
  std::vector<double> spreads(sets.size(), 1);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    if (reaches[s].irregular <= fit::kGatheringBundles * reaches[s].bundles ||
        trace::isInSharedMemory(trace.sites, sample.stream.arrays[sets[s].array].group))
      continue;
    const bool isKnown =
        grown != sample.run.kernels.end() && grown->second.apart.contains(sets[s].sites);
    if (isKnown && byLaw)
      spreads[s] = std::max(grown->second.apart.at(sets[s].sites), 1.0);
    else if (!isKnown && !byLaw &&
             reaches[s].widest > fit::kWholeArrayReach * elementsOf(sample, trace, sets[s]))
      spreads[s] = sample.run.elements;
  }
  return spreads;
}

/// Element e of the traced array becomes one of the `factor` elements that stand for it, another
/// one for each warp: no two of them lie side by side, and warps meet by chance.
class Spreading {
  static constexpr unsigned kWarpBits = 6; // of a block's warps

public:
  Spreading(double factor, double elements)
      : factor_(static_cast<std::uint64_t>(
            std::clamp(factor, 1.0, std::numeric_limits<std::uint32_t>::max() / elements))) {}

  [[nodiscard]] std::uint64_t element(std::uint64_t element, const WarpRun &run) const {
    const std::uint64_t warp =
        (std::uint64_t{run.block} << kWarpBits | run.warp) * 0x9e3779b97f4a7c15u;
    return element * factor_ + (warp >> 32) % factor_;
  }

private:
  std::uint64_t factor_;
};

/// Gives a pattern its lanes' elements anew.
void spread(Wave &wave, const WarpRun &run, const Spreading &spreading, std::uint32_t perRecord,
            Bundle &bundle) {
  LanePattern &pattern = bundle.pattern;
  const auto moved = [&](std::uint64_t element) {
    return spreading.element(element / perRecord, run) * perRecord + element % perRecord;
  };
  std::array<std::uint64_t, trace::kWarpLanes> elements{};
  std::uint64_t lowest = ~std::uint64_t{0};
  const int first = std::countr_zero(pattern.mask);
  for (std::uint32_t left = pattern.mask; left != 0; left &= left - 1) {
    const int lane = std::countr_zero(left);
    const auto i = static_cast<unsigned>(lane);
    elements[i] = moved(pattern.offsets == LanePattern::kAffine
                            ? pattern.base + static_cast<std::uint64_t>(
                                                 std::int64_t{pattern.stride} * (lane - first))
                            : pattern.base + wave.offsets[pattern.offsets][i]);
    lowest = std::min(lowest, elements[i]);
  }
  if (pattern.offsets == LanePattern::kAffine && pattern.stride == 0) {
    pattern.base = lowest;
    return;
  }
  if (pattern.offsets == LanePattern::kAffine) {
    pattern.offsets = static_cast<std::uint32_t>(wave.offsets.size());
    wave.offsets.emplace_back();
  }
  pattern.base = lowest;
  pattern.stride = 0;
  for (std::uint32_t left = pattern.mask; left != 0; left &= left - 1) {
    const auto i = static_cast<unsigned>(std::countr_zero(left));
    wave.offsets[pattern.offsets][i] = static_cast<std::uint32_t>(elements[i] - lowest);
  }
}

/// \param byLaw  of those gathers of which two runs showed how they grow; else of the others
/// \returns whether there are any
bool spreadGathers(const trace::Trace &trace, ReplaySample &sample, bool byLaw) {
  bool any = false;
  for (KernelSample &kernel : sample.kernels) {
    const std::vector<AccessSet> &sets = sample.stream.kernels[kernel.kernel].accessSets;
    const std::vector<double> spreads = spreadsOf(trace, sample, kernel, byLaw);
    for (Wave &wave : kernel.waves)
      for (WarpRun &run : wave.warps)
        for (Bundle &bundle : run.bundles) {
          if (spreads[bundle.accessSet] <= 1)
            continue;
          any = true;
          const AccessSet &set = sets[bundle.accessSet];
          const ReplayArray &array = sample.stream.arrays[set.array];
          const double elements = elementsOf(sample, trace, set);
          spread(wave, run, Spreading(spreads[bundle.accessSet], elements),
                 static_cast<std::uint32_t>(elements / static_cast<double>(array.elements)),
                 bundle);
        }
  }
  return any;
}

/// Where every thread walks over all elements, a small run's own elements are all of them, and L1
/// has what a warp walks over. Of a larger run it walks over other elements, together with the SM's
/// other warps.
void walkBeyond(const trace::Trace &trace, ReplaySample &sample) {
  if (sample.run.elements < 2)
    return;
  for (KernelSample &kernel : sample.kernels) {
    const auto grown = sample.run.kernels.find(trace.kernels[kernel.kernel]);
    if (grown == sample.run.kernels.end() || grown->second.walkedSites.empty())
      continue;
    const std::vector<AccessSet> &sets = sample.stream.kernels[kernel.kernel].accessSets;
    const auto isWalk = [&](const AccessSet &set) {
      return set.arrayField == trace::kNone &&
             std::ranges::all_of(set.sites, [&](std::uint32_t site) {
               return grown->second.walkedSites.contains(site);
             });
    };
    for (Wave &wave : kernel.waves)
      for (WarpRun &run : wave.warps)
        for (Bundle &bundle : run.bundles) {
          const AccessSet &set = sets[bundle.accessSet];
          LanePattern &pattern = bundle.pattern;
          if (pattern.offsets == LanePattern::kAffine && pattern.stride == 0 && isWalk(set))
            pattern.base += sample.stream.arrays[set.array].elements;
        }
  }
}

/// Few warps an SM, which are assumed of kernels that look at all pairs, wait for memory; of many,
/// some always go on.
std::optional<ReplaySample> filledSample(const trace::Trace &trace, const ReplaySample &sample,
                                         const Machine &machine) {
  RunScale run = sample.run;
  if (run.elementsThatFill <= run.elements)
    return std::nullopt;
  run.elements = run.elementsThatFill;
  const AllPairs pairs = allPairsOf(trace, sample, machine);
  ReplaySample filled = rescaled(trace, sample, machine, withLaw(run, pairs.law));
  walkBeyond(trace, filled);
  return filled;
}

} // namespace

const char *footprintName(Footprint footprint) {
  switch (footprint) {
  case Footprint::Asked:
    return "extrapolated";
  case Footprint::Spread:
    return "gathers spread";
  case Footprint::Kept:
    return "with values kept in registers";
  case Footprint::Traced:
    return "as traced";
  case Footprint::Filled:
    return "with as many elements as fill the GPU";
  case Footprint::Itself:
    return "in the traced run itself, as the program takes no arguments and no input";
  }
  std::abort(); // not a Footprint
}

std::vector<SizedSample> sizesOf(const trace::Trace &trace, const ReplaySample &sample,
                                 const Machine &machine) {
  std::vector<SizedSample> sizes{{&trace, Footprint::Asked, sample}};
  spreadGathers(trace, sizes.front().sample, /*byLaw=*/true);
  walkBeyond(trace, sizes.front().sample);
  SizedSample kept{&trace, Footprint::Kept, sizes.front().sample};
  if (keepValues(trace, kept.sample))
    sizes.push_back(std::move(kept));
  if (sample.run.tracedMayBeReal)
    sizes.push_back({&trace, Footprint::Itself, rescaled(trace, sample, machine, {})});
  if (sample.run.elements == 1)
    return sizes;
  SizedSample spread{&trace, Footprint::Spread, sizes.front().sample};
  if (spreadGathers(trace, spread.sample, /*byLaw=*/false))
    sizes.push_back(std::move(spread));
  if (sample.run.isAsked)
    return sizes; // no run is as small as the traced one
  RunScale traced = sample.run;
  traced.elements = 1;
  traced.kernels.clear();
  sizes.push_back({&trace, Footprint::Traced, rescaled(trace, sample, machine, traced)});
  for (KernelSample &kernel : sizes.back().sample.kernels)
    kernel.scale.isRealRun = false;
  if (std::optional<ReplaySample> filled = filledSample(trace, sample, machine))
    sizes.push_back({&trace, Footprint::Filled, std::move(*filled)});
  return sizes;
}

} // namespace relayout::analysis
