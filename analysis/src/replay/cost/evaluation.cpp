// SPDX-License-Identifier: Apache-2.0
// One kernel's sample through the SM, the memory and the clock.
#include "relayout/analysis/replay/cost/evaluation.h"

#include "relayout/analysis/gpu/fit.h"
#include "relayout/analysis/replay/sm/sm_replay.h"
#include "replay/sm/loop_replay.h"
#include "replay/stream/walks.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace relayout::analysis {
namespace {

/// Bytes of the arrays that the kernel accesses, in the run that is decided for.
double bytesOfArrays(const trace::Trace &trace, const ReplaySample &sample,
                     const KernelSample &kernel, const KernelScale &scale) {
  std::vector<bool> isSeen(sample.stream.arrays.size());
  double bytes = 0;
  for (const AccessSet &set : sample.stream.kernels[kernel.kernel].accessSets) {
    const ReplayArray &array = sample.stream.arrays[set.array];
    if (isSeen[set.array] || array.group == trace::kNone)
      continue;
    isSeen[set.array] = true;
    bytes += scale.elements * static_cast<double>(array.elements) *
             static_cast<double>(trace.sites.records[trace.sites.groups[array.group].record].bytes);
  }
  return bytes;
}

/// Whether warps go on for long after what is replayed of them.
bool isCutShort(const KernelSample &kernel, const KernelScale &scale) {
  double executed = 0;
  double warps = 0;
  for (const Wave &wave : kernel.waves) {
    warps += static_cast<double>(wave.warps.size());
    for (const WarpRun &warp : wave.warps)
      for (const Bundle &bundle : warp.bundles)
        executed += scale.bySet[bundle.accessSet];
  }
  const auto replayed = static_cast<double>(kernel.bundles);
  const double all =
      scale.launches * scale.blocksPerLaunch * static_cast<double>(warpsOf(scale.threadsPerBlock));
  return fit::kCutShort * replayed / std::max(warps, 1.0) < executed / std::max(all, 1.0);
}

/// Blocks of which each finds in L1 what the ones before have left. Warps that are cut short leave
/// what they came by last, which is not what is replayed, unless all of it fits. A small run has
/// few blocks, which tell nothing of that.
double blocksInTurn(const trace::Trace &trace, const ReplaySample &sample,
                    const KernelSample &kernel, const KernelScale &scale, const Machine &machine) {
  if (!scale.isRealRun)
    return std::numeric_limits<double>::infinity();
  const double together = scale.blocksOfAnSm(machine);
  if (bytesOfArrays(trace, sample, kernel, scale) > static_cast<double>(scale.l1Bytes) &&
      isCutShort(kernel, scale))
    return together;
  return std::max(together, scale.blocksPerLaunch / machine.sms);
}

/// Bytes from one element to the next, of each part of an array that the walk reads.
std::vector<std::uint32_t> partsOf(const trace::Trace &trace, const ReplaySample &sample,
                                   const WalkedArray &walked, const PlacedArray &placed) {
  const ReplayArray &array = sample.stream.arrays[walked.array];
  const RecordLeaves &leaves = sample.stream.leaves[trace.sites.groups[array.group].record];
  std::set<std::uint32_t> read;
  for (std::uint64_t left = walked.leaves; left != 0; left &= left - 1) {
    const Leaf &leaf = leaves.leaves[static_cast<std::size_t>(std::countr_zero(left))];
    const PlacedArray::FieldPlace &place = placed.fields[leaf.field];
    read.insert(place.part + place.partStep * leaf.element);
  }
  std::vector<std::uint32_t> bytes;
  for (const std::uint32_t part : read)
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

/// The loop of a walk on an SM in one launch, where its machine code is known; else 0.
WalkTime walkTime(const trace::Trace &trace, const ReplaySample &sample, const KernelSample &kernel,
                  const KernelScale &scale, const BoundLayouts &bound, const Machine &machine) {
  const std::optional<WalkFacts> facts = scale.walk ? walkOf(trace, sample, kernel) : std::nullopt;
  if (!facts)
    return {};
  MachineWalk walk;
  std::vector<std::uint32_t> parts;
  for (const WalkedArray &array : facts->arrays)
    for (const std::uint32_t bytes : partsOf(trace, sample, array, bound.arrays()[array.array])) {
      parts.push_back(bytes);
      walk.bytes += facts->iterations * bytes;
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

} // namespace

Result<KernelEvaluation> evaluateKernel(const trace::Trace &trace, const ReplaySample &sample,
                                        const KernelSample &kernel,
                                        const std::vector<const Layout *> &layouts,
                                        const Machine &machine, double otherNs,
                                        const KernelScale *given) {
  const KernelScale &scale = given != nullptr ? *given : kernel.scale;
  BoundLayouts bound(trace.sites, layouts);
  if (const Result<void> covered = bound.cover(sample.stream); !covered)
    return tl::unexpected(covered.error());
  SmReplay sm(machine, scale.l1Bytes, static_cast<std::uint32_t>(scale.blocksOfAnSm(machine)),
              blocksInTurn(trace, sample, kernel, scale, machine));
  sm.prepare(kernel.kernel, sample.stream, bound, trace.sites);
  for (const Wave &wave : kernel.waves)
    sm.replay(wave, bound);
  KernelEvaluation evaluation;
  evaluation.counts = sm.counts();
  const WalkTime walked = walkTime(trace, sample, kernel, scale, bound, machine);
  const auto timed = [&](double launchNs) {
    evaluation.volume = scaleUp(evaluation.counts, scale, machine, launchNs);
    evaluation.volume.walkNs = scale.launches * walked.ns;
    evaluation.volume.walkIssued = walked.issued;
    evaluation.volume.walkingWarps = scale.blocksOfAnSm(machine) *
                                     static_cast<double>(warpsOf(scale.threadsPerBlock)) /
                                     kSchedulers;
    evaluation.time = timeOf(evaluation.volume, scale, machine, otherNs);
  };
  timed(0);
  if (scale.launches > 0)
    timed((evaluation.time.totalNs - evaluation.time.launchNs) / scale.launches);
  return evaluation;
}

} // namespace relayout::analysis
