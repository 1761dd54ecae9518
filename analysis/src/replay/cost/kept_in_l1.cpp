// SPDX-License-Identifier: Apache-2.0
// Bounds the misses of arrays that fit L1 by the lines that they have.
#include "replay/cost/kept_in_l1.h"

#include "relayout/analysis/gpu/geometry.h"
#include "replay/memory/granule_set.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

namespace relayout::analysis {
namespace {

using ArrayParts = std::set<std::pair<std::uint32_t, std::uint32_t>>; // arrays and their parts

/// What a set reads; of members whose elements have no leaves, and of what is no record, all parts.
void addPartsOf(const trace::Trace &trace, const WarpStream &stream, const AccessSet &set,
                const PlacedArray &placed, ArrayParts &parts) {
  const trace::Index group = stream.arrays[set.array].group;
  if (group == trace::kNone || set.arrayField != trace::kNone)
    for (std::uint32_t part = 0; part < placed.parts.size(); ++part)
      parts.emplace(set.array, part);
  else
    for (const std::uint32_t part :
         partsOf(placed, stream.leaves[trace.sites.groups[group].record], set.reads))
      parts.emplace(set.array, part);
}

/// Of one set, what stays of its misses.
void keepMisses(double kept, SetCounts &set) {
  const auto partOf = [kept](std::uint64_t count) {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(count) * kept));
  };
  set.readHits = set.readSectors - partOf(set.readSectors - set.readHits);
  set.missLines = partOf(set.missLines);
  set.longStalls = partOf(set.longStalls);
  set.multiLoadStalls = partOf(set.multiLoadStalls);
  set.lateStalls *= kept;
}

} // namespace

void keepInL1(const trace::Trace &trace, const WarpStream &stream, trace::Index kernel,
              const KernelScale &scale, const BoundLayouts &bound, const Machine &machine,
              KernelCounts &counts) {
  const std::vector<AccessSet> &sets = stream.kernels[kernel].accessSets;
  std::set<std::uint32_t> accessed;
  std::set<std::uint32_t> written;
  for (const AccessSet &set : sets) {
    if (bound.arrays()[set.array].isShared)
      continue;
    accessed.insert(set.array);
    if ((set.writes | set.atomics) != 0)
      written.insert(set.array);
  }
  double bytes = 0;
  for (const std::uint32_t array : accessed)
    bytes += scale.elements * static_cast<double>(bound.arrays()[array].totalBytes);
  if (bytes > static_cast<double>(scale.l1Bytes))
    return;

  const auto isOnlyRead = [&](const AccessSet &set) {
    return accessed.contains(set.array) && !written.contains(set.array);
  };
  ArrayParts read;
  double missed = 0;
  for (std::size_t s = 0; s < counts.sets.size(); ++s) {
    if (!isOnlyRead(sets[s]))
      continue;
    addPartsOf(trace, stream, sets[s], bound.arrays()[sets[s].array], read);
    missed +=
        scale.bySet[s] * static_cast<double>(counts.sets[s].readSectors - counts.sets[s].readHits);
  }
  double once = 0;
  for (const auto &[array, part] : read)
    once += scale.launches * std::min<double>(machine.sms, scale.blocksPerLaunch) * scale.elements *
            static_cast<double>(stream.arrays[array].elements) *
            bound.arrays()[array].parts[part].bytes / kSectorBytes;
  if (missed <= once)
    return;

  const double kept = once / missed;
  for (std::size_t s = 0; s < counts.sets.size(); ++s)
    if (isOnlyRead(sets[s]))
      keepMisses(kept, counts.sets[s]);
  for (const auto &[array, part] : read) {
    const PlacedArray &placed = bound.arrays()[array];
    const std::uint64_t start =
        placed.tile == 0 ? placed.parts[part].start : placed.parts[part].plane;
    if (const std::size_t region = (start >> kArrayShift) - 1; region < counts.reads.size()) {
      counts.reads[region].missedSectors *= kept;
      counts.reads[region].missedAtOnce *= kept;
    }
  }
}

} // namespace relayout::analysis
