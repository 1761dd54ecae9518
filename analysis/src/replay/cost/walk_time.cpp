// SPDX-License-Identifier: Apache-2.0
// Brings together the facts of a walk, where its arrays lie, and its machine code.
#include "replay/cost/walk_time.h"

#include "replay/stream/walks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace relayout::analysis {
namespace {

/// Bytes from one element to the next, of each part of an array that the walk reads.
std::vector<std::uint32_t> bytesOfParts(const trace::Trace &trace, const ReplaySample &sample,
                                        const WalkedArray &walked, const PlacedArray &placed) {
  const ReplayArray &array = sample.stream.arrays[walked.array];
  const RecordLeaves &leaves = sample.stream.leaves[trace.sites.groups[array.group].record];
  std::vector<std::uint32_t> bytes;
  for (const std::uint32_t part : partsOf(placed, leaves, walked.leaves))
    bytes.push_back(placed.parts[part].bytes);
  return bytes;
}

/// How far loads from one address register move in an iteration of the machine code: so many
/// elements of the narrowest part that they may be in.
std::vector<std::uint64_t> advancesOf(const MachineLoop &loop, double unrolled,
                                      const std::vector<std::uint32_t> &parts) {
  std::map<std::uint32_t, std::pair<std::int32_t, std::int32_t>> ranges; // by base
  for (const MachineInstruction &load : loop.body) {
    if (load.kind != MachineInstruction::Kind::GlobalLoad)
      continue;
    auto &[first, end] = ranges.try_emplace(load.base, load.offset, load.offset).first->second;
    first = std::min(first, load.offset);
    end = std::max(end, load.offset + load.bytes);
  }
  std::vector<std::uint64_t> advances(ranges.size());
  for (const auto &[base, range] : ranges) {
    const double bytes = range.second - range.first;
    double least = 0;
    for (const std::uint32_t part : parts)
      if (const double moved = unrolled * part; moved >= bytes && (least == 0 || moved < least))
        least = moved;
    advances[base] = static_cast<std::uint64_t>(std::lround(least == 0 ? bytes : least));
  }
  return advances;
}

} // namespace

WalkTime walkTime(const trace::Trace &trace, const ReplaySample &sample, const KernelSample &kernel,
                  const KernelScale &scale, const BoundLayouts &bound, const Machine &machine) {
  const std::optional<WalkFacts> facts = scale.walk ? walkOf(trace, sample, kernel) : std::nullopt;
  if (!facts)
    return {};
  MachineWalk walk;
  double elements = 1;
  for (const WalkedArray &array : facts->arrays)
    elements = std::max(
        elements, scale.elements * static_cast<double>(sample.stream.arrays[array.array].elements));
  walk.passes = std::max(facts->iterations / elements, 1.0);
  std::vector<std::uint32_t> parts;
  for (const WalkedArray &array : facts->arrays)
    for (const std::uint32_t bytes :
         bytesOfParts(trace, sample, array, bound.arrays()[array.array])) {
      parts.push_back(bytes);
      walk.bytes += facts->iterations / walk.passes * bytes;
    }
  walk.loop = scale.walk->loop;
  walk.iterations = facts->iterations / scale.walk->unrolled;
  walk.advance = advancesOf(*walk.loop, scale.walk->unrolled, parts);
  walk.doesConditionalLoads = facts->doesConditionalLoads;
  walk.l1Bytes = scale.l1Bytes;
  walk.warpsOfABlock = static_cast<std::uint32_t>(warpsOf(scale.threadsPerBlock));
  walk.residentBlocks = static_cast<std::uint32_t>(scale.blocksOfAnSm(machine));
  walk.blocks = scale.blocksPerLaunch / machine.sms;
  return replayWalk(walk, machine);
}

} // namespace relayout::analysis
