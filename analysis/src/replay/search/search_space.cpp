// SPDX-License-Identifier: Apache-2.0
// Sets of fields that are used together, and the extents of a program as its accesses show them.
#include "replay/search/search_space.h"

#include "relayout/analysis/gpu/geometry.h"

#include "replay/search/element_orders.h"

#include <algorithm>
#include <map>

namespace relayout::analysis {
namespace {

/// Extents of the program that are tried as tiles.
constexpr std::size_t kTiledExtents = 4;
constexpr std::uint64_t kSmallestTile = 16;

/// Accesses of a warp among which distances are taken.
constexpr std::size_t kComparedAccesses = 8;

/// Distances, in elements, at which warps access one array again, with how often they do. In a grid
/// those of rows and planes are the most frequent, as many pairs of adjacent elements have them.
std::map<std::uint64_t, std::uint64_t> distances(const ReplaySample &sample, trace::Index group) {
  std::map<std::uint64_t, std::uint64_t> seen;
  for (const KernelSample &kernel : sample.kernels) {
    const std::vector<AccessSet> &sets = sample.stream.kernels[kernel.kernel].accessSets;
    for (const Wave &wave : kernel.waves)
      for (const WarpRun &run : wave.warps) {
        std::map<std::uint32_t, std::vector<std::uint64_t>> last; // elements by array
        for (const Bundle &bundle : run.bundles) {
          const AccessSet &set = sets[bundle.accessSet];
          const LanePattern &pattern = bundle.pattern;
          if (sample.stream.arrays[set.array].group != group || set.arrayField != trace::kNone ||
              pattern.offsets != LanePattern::kAffine)
            continue;
          std::vector<std::uint64_t> &window = last[set.array];
          for (const std::uint64_t other : window) {
            const std::uint64_t distance =
                std::max(pattern.base, other) - std::min(pattern.base, other);
            if (distance >= kSmallestTile)
              ++seen[distance];
          }
          if (window.size() == kComparedAccesses)
            window.erase(window.begin());
          window.push_back(pattern.base);
        }
      }
  }
  return seen;
}

std::uint64_t usedBy(const AccessSet &set, const RecordLeaves &leaves) {
  return set.arrayField != trace::kNone ? std::uint64_t{1} << set.arrayField
                                        : leaves.fieldsOf(set.reads | set.writes | set.atomics);
}

/// Of the bundles of a group, the part that makes a use a main one.
constexpr double kMainPart = 0.05;

/// The uses that most bundles are of, the most frequent first.
std::vector<std::uint64_t> mainUses(const ReplaySample &sample, const RecordLeaves &leaves,
                                    trace::Index group) {
  std::map<std::uint64_t, double> bundles;
  double all = 0;
  for (const KernelSample &kernel : sample.kernels) {
    const std::vector<AccessSet> &sets = sample.stream.kernels[kernel.kernel].accessSets;
    for (const Wave &wave : kernel.waves)
      for (const WarpRun &run : wave.warps)
        for (const Bundle &bundle : run.bundles)
          if (const AccessSet &set = sets[bundle.accessSet];
              sample.stream.arrays[set.array].group == group) {
            bundles[usedBy(set, leaves)] += kernel.scale.launches;
            all += kernel.scale.launches;
          }
  }
  std::vector<std::pair<double, std::uint64_t>> byCount;
  for (const auto &[use, count] : bundles)
    if (count >= kMainPart * all)
      byCount.emplace_back(count, use);
  std::ranges::stable_sort(byCount, std::ranges::greater{},
                           &std::pair<double, std::uint64_t>::first);
  std::vector<std::uint64_t> uses;
  for (const auto &[count, use] : byCount)
    uses.push_back(use);
  return uses;
}

/// What all accesses do with a field: its size, and by access set whether that reads, writes, ….
/// Array members are all different, as accesses may differ in their elements.
std::vector<std::uint64_t> treatmentOf(std::uint32_t f, const LayoutField &field,
                                       const ReplaySample &sample, const RecordLeaves &leaves,
                                       trace::Index group) {
  std::vector<std::uint64_t> treatment{field.bytes, field.alignment, field.count > 1 ? f + 1 : 0};
  for (const KernelStream &kernel : sample.stream.kernels)
    for (const AccessSet &set : kernel.accessSets) {
      if (sample.stream.arrays[set.array].group != group || set.arrayField != trace::kNone)
        continue;
      std::uint64_t does = 0;
      for (const std::uint64_t mask : {set.reads, set.writes, set.atomics, set.lateReads})
        does = does << 1 | (leaves.fieldsOf(mask) >> f & 1);
      treatment.push_back(does);
    }
  return treatment;
}

std::vector<std::uint32_t> kindsOf(const std::vector<LayoutField> &fields,
                                   const ReplaySample &sample, const RecordLeaves &leaves,
                                   trace::Index group) {
  std::map<std::vector<std::uint64_t>, std::uint32_t> known;
  std::vector<std::uint32_t> kinds;
  for (std::uint32_t f = 0; f < fields.size(); ++f)
    kinds.push_back(
        known.try_emplace(treatmentOf(f, fields[f], sample, leaves, group), f).first->second);
  return kinds;
}

} // namespace

SearchSpace searchSpace(const trace::Trace &trace, const ReplaySample &sample, trace::Index group,
                        const std::vector<LayoutField> &fields) {
  SearchSpace space;
  space.fields = fields;
  const RecordLeaves &leaves = sample.stream.leaves[trace.sites.groups[group].record];
  for (const KernelStream &kernel : sample.stream.kernels)
    for (const AccessSet &set : kernel.accessSets)
      if (sample.stream.arrays[set.array].group == group)
        space.uses.push_back(usedBy(set, leaves));
  std::ranges::sort(space.uses);
  space.uses.erase(std::ranges::unique(space.uses).begin(), space.uses.end());

  space.mainUses = mainUses(sample, leaves, group);
  space.kinds = kindsOf(fields, sample, leaves, group);
  // Tiles and orders bring together what lies apart, which no bank asks for.
  space.isShared = trace::isInSharedMemory(trace.sites, group);
  if (space.isShared)
    return space;
  space.orders = elementOrders(trace, sample, group);
  std::uint64_t longest = 0;
  for (const ReplayArray &array : sample.stream.arrays)
    if (array.group == group)
      longest = std::max(longest, array.elements);
  space.tiles = {kWarpThreads, std::uint64_t{2} * kWarpThreads};
  // Distances are sizes of the traced run: of an extrapolated one they tell nothing.
  if (sample.run.elements != 1)
    return space;
  // The most frequent distances; of equally frequent ones the shorter.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> byCount;
  for (const auto &[distance, count] : distances(sample, group))
    byCount.emplace_back(count, distance);
  std::ranges::stable_sort(byCount, std::ranges::greater{},
                           &std::pair<std::uint64_t, std::uint64_t>::first);
  std::size_t extents = 0;
  for (const auto &[count, distance] : byCount) {
    if (extents == kTiledExtents)
      break;
    if (distance >= longest || std::ranges::find(space.tiles, distance) != space.tiles.end())
      continue;
    space.tiles.push_back(distance);
    ++extents;
  }
  return space;
}

} // namespace relayout::analysis
