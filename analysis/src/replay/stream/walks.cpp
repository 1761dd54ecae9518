// SPDX-License-Identifier: Apache-2.0
// Tells walks by the patterns of access sets.
#include "replay/stream/walks.h"

#include "relayout/analysis/gpu/fit.h"
#include "replay/stream/arithmetic.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

namespace relayout::analysis {
namespace {

/// Of one access set, as many bundles as the run has.
struct SetUse {
  double bundles = 0;
  double ofOneElement = 0; ///< of these, all lanes at the same element
};

std::vector<SetUse> usesOf(const KernelSample &kernel, std::size_t sets) {
  std::vector<SetUse> uses(sets);
  for (const Wave &wave : kernel.waves)
    for (const WarpRun &run : wave.warps)
      for (const Bundle &bundle : run.bundles) {
        const LanePattern &pattern = bundle.pattern;
        const double executed = kernel.scale.bySet[bundle.accessSet];
        uses[bundle.accessSet].bundles += executed;
        if (pattern.offsets == LanePattern::kAffine &&
            (pattern.stride == 0 || std::popcount(pattern.mask) == 1))
          uses[bundle.accessSet].ofOneElement += executed;
      }
  return uses;
}

double bytesOf(const trace::Record &record, const RecordLeaves &leaves, std::uint64_t mask) {
  double bytes = 0;
  for (std::uint64_t left = mask; left != 0; left &= left - 1) {
    const Leaf &leaf = leaves.leaves[static_cast<std::size_t>(std::countr_zero(left))];
    const trace::Field &field = record.fields[leaf.field];
    bytes += static_cast<double>(field.bytes) / field.pieces() * leaf.elements;
  }
  return bytes;
}

/// The innermost loops around the sites of a set, as the kernel sees them.
void addLoops(const trace::SiteTable &sites, const std::string &kernel, const AccessSet &set,
              std::set<trace::Index> &loops) {
  for (const trace::Reach &reach : sites.reaches)
    if (sites.kernels[reach.kernel].name == kernel &&
        std::ranges::find(set.sites, reach.site) != set.sites.end())
      loops.insert(reach.loop);
}

/// What a walk reads of the arrays of a group, one of them in each launch.
struct LeavesRead {
  std::uint32_t array = 0; ///< one of them
  double bundles = 0;
  std::uint64_t leaves = 0;
  std::map<std::uint64_t, double> byLeaves; ///< bundles
};

/// Iterations of a loop, of one warp. What a warp does is the same at any size, unless runs of two
/// sizes showed how it grows.
double iterationsOfWarp(const trace::Trace &trace, const ReplaySample &sample,
                        const KernelSample &kernel, trace::Index loop,
                        const std::set<std::uint32_t> &sites) {
  double iterations =
      loopIterations(trace, kernel.kernel, loop) / tracedWarps(trace, kernel.kernel);
  const auto known = sample.run.kernels.find(trace.kernels[kernel.kernel]);
  if (known == sample.run.kernels.end())
    return iterations;
  const KernelGrowth &growth = known->second;
  double most = 1;
  for (const std::uint32_t site : sites)
    if (const auto grown = growth.accesses.find(site); grown != growth.accesses.end())
      most = std::max(most, grown->second / (growth.launches * growth.blocks));
  return iterations * most;
}

} // namespace

std::optional<WalkFacts> walkOf(const trace::Trace &trace, const ReplaySample &sample,
                                const KernelSample &kernel) {
  const std::vector<AccessSet> &sets = sample.stream.kernels[kernel.kernel].accessSets;
  const std::vector<SetUse> uses = usesOf(kernel, sets.size());
  double all = 0;
  double walked = 0;
  std::map<trace::Index, LeavesRead> groups;
  std::set<trace::Index> loops;
  std::set<std::uint32_t> sites;
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const AccessSet &set = sets[s];
    const trace::Index group = sample.stream.arrays[set.array].group;
    all += uses[s].bundles;
    if (uses[s].bundles <= 0 || uses[s].ofOneElement < fit::kWalkingPart * uses[s].bundles ||
        (set.writes | set.atomics) != 0 || set.arrayField != trace::kNone ||
        group == trace::kNone || trace::isInSharedMemory(trace.sites, group))
      continue;
    walked += uses[s].bundles;
    LeavesRead &read = groups[group];
    read.array = set.array;
    read.bundles += uses[s].bundles;
    read.leaves |= set.reads;
    read.byLeaves[set.reads] += uses[s].bundles;
    addLoops(trace.sites, trace.kernels[kernel.kernel], set, loops);
    sites.insert(set.sites.begin(), set.sites.end());
  }
  if (walked < fit::kWalkingPart * all || loops.size() != 1 || *loops.begin() == trace::kNone)
    return std::nullopt;
  WalkFacts facts;
  facts.iterations = iterationsOfWarp(trace, sample, kernel, *loops.begin(), sites);
  for (const auto &[group, read] : groups) {
    const trace::Index record = trace.sites.groups[group].record;
    facts.loadedBytes +=
        bytesOf(trace.sites.records[record], sample.stream.leaves[record], read.leaves);
    const auto whole = read.byLeaves.find(read.leaves);
    facts.doesConditionalLoads &= whole != read.byLeaves.end() && whole->second * 2 >= read.bundles;
    facts.arrays.push_back({read.array, read.leaves});
  }
  if (facts.iterations < fit::kLongWalk)
    return std::nullopt;
  return facts;
}

} // namespace relayout::analysis
