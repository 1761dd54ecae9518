// SPDX-License-Identifier: Apache-2.0
// Replays bundles under a layout: instructions, L1 wavefronts and sectors, granules.
#include "relayout/analysis/replay/sm/sm_replay.h"

#include "relayout/analysis/compiler_model/nvcc13.h"
#include "relayout/analysis/gpu/fit.h"
#include "replay/memory/granule_set.h"
#include "replay/memory/l1_cache.h"
#include "replay/memory/l2_share.h"
#include "replay/memory/stored_sectors.h"
#include "replay/sm/instruction_lines.h"
#include "replay/sm/instructions.h"
#include "replay/sm/warp_scheduler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <utility>

namespace relayout::analysis {
namespace {

constexpr std::uint32_t kTwoStores = 2;

/// Part of the sectors of a bundle's stores that L1 combines with those of the store before.
double combinedPart(std::size_t lines, std::uint32_t stores) {
  if (lines <= fit::kFewLines)
    return fit::kCombinedOfFewLines;
  if (lines <= fit::kSomeLines)
    return fit::kCombinedOfSomeLines;
  if (lines <= fit::kManyLines)
    return std::max(fit::kCombinedLeast,
                    fit::kCombinedOfManyLines - fit::kCombinedLessAStore * stores);
  return 0;
}

/// Of the blocks that share an SM: those that are missing have their part of L1 and of L2.
double recordedPart(const Wave &wave, std::size_t residentBlocks) {
  std::size_t blocks = 0;
  for (std::size_t w = 0; w < wave.warps.size(); ++w)
    blocks += w == 0 || wave.warps[w].block != wave.warps[w - 1].block ? 1 : 0;
  return std::min(1.0, static_cast<double>(blocks) / static_cast<double>(residentBlocks));
}

/// Number of the line's first granule. Those of a tiled array are numbered as if each of its parts
/// were a plane of its own, so that what another part holds between them counts neither as a gap
/// nor as part of a run.
std::uint64_t firstGranule(const PlacedArray &placed, std::uint32_t part, std::uint64_t line) {
  if (placed.tile == 0)
    return line * kGranulesALine;
  const PlacedArray::Part &at = placed.parts[part];
  const std::uint64_t origin = at.start >> kArrayShift << kArrayShift;
  const std::uint64_t offset = line * kLineBytes - origin;
  const std::uint64_t tile = offset / placed.blockBytes;
  const std::uint64_t within = offset % placed.blockBytes + origin;
  const std::uint64_t inPart = within > at.start ? within - at.start : 0;
  return (at.plane + tile * placed.tile * at.bytes + inPart) / kGranuleBytes;
}

} // namespace

struct SmReplay::State {
  /// How long things take on one SM, in nanoseconds. They order the warps, and no more: the order
  /// hardly changes with them.
  struct Pace {
    double wavefrontNs = 0;
    double missedSectorNs = 0;
    double instructionNs = 0; ///< of one scheduler
    double hitNs = 0;
    double missNs = 0;

    explicit Pace(const Machine &machine)
        : wavefrontNs(1 / machine.wavefrontsPerNsPerSm),
          missedSectorNs(machine.sms / machine.l2ReadSectorsPerNs),
          instructionNs(kSchedulers / machine.instructionsPerNsPerSm), hitNs(machine.l1LatencyNs),
          missNs(machine.l1LatencyNs + machine.l2LatencyNs) {}
  };

  State(const Machine &machine, std::uint64_t l1Bytes, std::uint32_t residentBlocks,
        double blocksOfAnSm)
      : pace(machine), cache(l1Bytes / kLineBytes), share(machine), blocksOfAnSm(blocksOfAnSm),
        slots(std::max(residentBlocks, 1u)), machine(machine),
        lines(machine.architecture.tagBanks) {}

  /// Room for a block.
  struct Slot {
    std::size_t running = 0; ///< warps
    GranuleSet reads;
    GranuleSet writes;
  };

  /// What a warp has done since it last waited for a load.
  struct History {
    StoredSectors stored;  ///< by its last store, no load missed since
    bool isPlaced = false; ///< the place of an element was computed
  };

  /// A scheduler, and what its current warp does until it waits: loads follow one another until a
  /// store, until the registers are full, or to the end of straight-line code.
  struct Issue {
    WarpScheduler warps;
    History *history = nullptr; ///< of the warp
    bool isFirst = false;       ///< the warp has not waited yet
    std::uint32_t registers = 0;
    std::uint64_t stalls = 1;
    std::uint64_t loads = 0;
    bool missed = false;
    double lateNs = 0; ///< for how long the last of what others have asked for is on its way
    SetCounts *waiting = nullptr; ///< of the first loads
    double loadedNs = 0;          ///< when all have come
    std::size_t instruction = 0;  ///< of the bundle
    BundleLines found;
    std::uint32_t elements = 0; ///< different ones among the bundle's lanes
    bool isAffine = false;      ///< the bundle's lanes are at elements that rise evenly
    bool asksAtOnce = false;    ///< for the bundle's addresses nothing was waited for
  };

  void beginWave(const Wave &wave) {
    counts.warpAccesses += wave.warpAccesses;
    counts.warps += wave.warps.size();
    if (wave.launch != launch) {
      cache.clear(recordedPart(wave, slots.size()));
      share.clear(recordedPart(wave, slots.size()));
      blocksSinceClear = 0;
    }
    launch = wave.launch;
    histories.assign(wave.warps.size(), {});
    for (Issue &issue : issues)
      issue.warps.nowNs = 0;
    pipeFreeNs = 0;
    missesFreeNs = 0;
    cache.settle();
    nextWarp = 0;
  }

  /// The wave's next block takes the slot. The schedulers drift apart, so each one begins with
  /// another block.
  void takeBlock(const Wave &wave, std::size_t s, double nowNs) {
    if (nextWarp == wave.warps.size())
      return;
    if (blocksSinceClear >= blocksOfAnSm) {
      cache.clear(recordedPart(wave, slots.size()));
      blocksSinceClear = 0;
    }
    ++blocksSinceClear;
    const std::uint32_t block = wave.warps[nextWarp].block;
    for (std::size_t w = 0; nextWarp < wave.warps.size() && wave.warps[nextWarp].block == block;
         ++w, ++nextWarp) {
      const std::size_t order = (s + w % kSchedulers * slots.size() / kSchedulers) % slots.size();
      if (wave.warps[nextWarp].bundles.empty())
        continue;
      ++slots[s].running;
      issues[w % kSchedulers].warps.give({&wave.warps[nextWarp], s, 0, nowNs, order});
    }
    ++counts.blocks;
    counts.firstBlock = std::min(counts.firstBlock, block);
    counts.lastBlock = std::max(counts.lastBlock, block);
  }

  /// The block of the slot has ended.
  void leaveSlot(std::size_t s) {
    slots[s].reads.flush(counts.reads, machine, planes, counts.isolated);
    slots[s].writes.flush(counts.writes, machine, planes, counts.isolated);
  }

  void beginBurst(const Wave &wave, Issue &issue) {
    issue.history =
        &histories[static_cast<std::size_t>(issue.warps.current().run - wave.warps.data())];
    issue.isFirst = issue.warps.current().next == 0;
    issue.registers = 0;
    issue.stalls = 1;
    issue.loads = 0;
    issue.missed = false;
    issue.lateNs = 0;
    issue.waiting = nullptr;
    issue.loadedNs = issue.warps.nowNs;
    issue.instruction = 0;
  }

  void beginBundle(const CompiledSet &code, const LanePattern &pattern, SetCounts &count,
                   Issue &issue) {
    ++count.bundles;
    count.otherInstructions += code.others;
    count.valueUses += code.uses;
    if (code.placing.cycles != 0)
      count.placingCycles += std::exchange(issue.history->isPlaced, true)
                                 ? code.placing.cyclesBehindAnother
                                 : code.placing.cycles;
    issue.registers += code.registers;
    issue.stalls += code.lateStalls;
    if (issue.waiting == nullptr && code.registers != 0)
      issue.waiting = &count;
    issue.found.part = BundleLines::kNoPart;
    issue.isAffine = pattern.offsets == LanePattern::kAffine;
    issue.elements = issue.isAffine && pattern.stride == 0
                         ? 1u
                         : static_cast<std::uint32_t>(std::popcount(pattern.mask));
    // Where lanes are here and there, an index was read and waited for.
    issue.asksAtOnce = issue.isFirst && issue.isAffine;
  }

  /// Issues one instruction of the current warp.
  /// \returns whether the warp goes on without waiting
  bool step(const Wave &wave, const BoundLayouts &layouts, Issue &issue) {
    ResidentWarp &warp = issue.warps.current();
    const std::vector<Bundle> &bundles = warp.run->bundles;
    const Bundle &bundle = bundles[warp.next];
    const CompiledSet &code = compiled[bundle.accessSet];
    const PlacedArray &array = layouts.arrays()[code.array];
    const LanePattern &pattern = bundle.pattern;
    SetCounts &count = counts.sets[bundle.accessSet];
    if (issue.instruction == 0)
      beginBundle(code, pattern, count, issue);
    lines.find(wave, pattern, array, code, issue.instruction, issue.found);
    perform(code, array, count, slots[warp.slot], issue);
    if (++issue.instruction != code.instructions.size())
      return true;
    issue.instruction = 0;
    issue.warps.nowNs += code.others * pace.instructionNs;
    if (++warp.next == bundles.size() || code.stores)
      return false;
    const Bundle &following = bundles[warp.next];
    return issue.registers == 0 ||
           (!following.startsRegion && issue.registers + compiled[following.accessSet].registers <=
                                           nvcc13::kRegistersInFlight);
  }

  void endBurst(const Issue &issue) {
    if (issue.waiting == nullptr)
      return;
    issue.history->isPlaced = false;
    issue.waiting->stalls += issue.stalls;
    if (!issue.missed) {
      issue.waiting->lateStalls +=
          static_cast<double>(issue.stalls) * std::min(issue.lateNs / machine.l2LatencyNs, 1.0);
      return;
    }
    issue.waiting->longStalls += issue.stalls;
    issue.waiting->multiLoadStalls +=
        std::min(issue.stalls, issue.loads - std::min(issue.loads, issue.stalls));
  }

  /// Counts one instruction whose lines were found.
  void perform(const CompiledSet &code, const PlacedArray &array, SetCounts &count, Slot &slot,
               Issue &issue) {
    const std::size_t index = issue.instruction;
    const Instruction &instruction = code.instructions[index];
    const Lines &found = issue.found.lines;
    count.wavefronts += found.wavefronts;
    const double startNs = std::max(issue.warps.nowNs, pipeFreeNs);
    issue.warps.nowNs = pipeFreeNs = startNs + std::max(found.wavefronts, 1u) * pace.wavefrontNs;
    if (array.isShared)
      return performShared(instruction, count, issue, startNs);
    count.usedBytes += std::uint64_t{issue.elements} * instruction.usedBytes;
    if (instruction.store) {
      store(instruction, issue,
            index > 0 && code.instructions[index - 1].store &&
                code.instructions[index - 1].part == instruction.part,
            array, count, slot);
      return;
    }
    ++issue.loads;
    double loadedNs = startNs + pace.hitNs;
    const std::uint32_t missed = load(instruction, issue, array, count, slot, startNs, loadedNs);
    issue.lateNs = std::max(issue.lateNs, loadedNs - startNs - pace.hitNs);
    if (missed != 0) {
      issue.missed = true;
      issue.history->stored.forget(); // the next store comes after a wait
      missesFreeNs = std::max(missesFreeNs, startNs) + missed * pace.missedSectorNs;
      loadedNs = missesFreeNs + pace.missNs;
    }
    issue.loadedNs = std::max(issue.loadedNs, loadedNs);
  }

  /// Shared memory answers by itself: what it has taken of the data path was counted.
  void performShared(const Instruction &instruction, SetCounts &count, Issue &issue,
                     double startNs) const {
    if (instruction.store) {
      ++count.writeInstructions;
      return;
    }
    ++count.readInstructions;
    ++issue.loads;
    issue.loadedNs = std::max(issue.loadedNs, startNs + pace.hitNs);
  }

  /// \param loadedNs  becomes when the last sector has come that another access asked for
  /// \returns missed sectors
  std::uint32_t load(const Instruction &instruction, const Issue &issue, const PlacedArray &placed,
                     SetCounts &count, Slot &slot, double startNs, double &loadedNs) {
    const Lines &found = issue.found.lines;
    ++count.readInstructions;
    count.readSectors += found.sectorCount;
    if (instruction.sameSectors) {
      count.readHits += found.sectorCount;
      return 0;
    }
    std::uint32_t missed = 0;
    const auto comesNs = static_cast<float>(std::max(missesFreeNs, startNs) + pace.missNs);
    for (unsigned i = 0; i < found.count; ++i) {
      const auto [missing, othersComeNs] = cache.load(found.line[i], found.sectors[i], comesNs);
      loadedNs = std::max(loadedNs, static_cast<double>(othersComeNs));
      if (missing == 0)
        continue;
      missed += kSectorsIn[missing];
      share.read(found.line[i], missing, counts.refetches);
      ++count.missLines;
      ArrayTraffic &region =
          touch(slot.reads, counts.reads, firstGranule(placed, instruction.part, found.line[i]),
                missing, issue.isAffine);
      region.missedSectors += kSectorsIn[missing];
      region.missedAtOnce += issue.asksAtOnce ? kSectorsIn[missing] : 0;
    }
    count.readHits += found.sectorCount - missed;
    return missed;
  }

  /// \param follows  another store to the same part, in one bundle
  void store(const Instruction &instruction, const Issue &issue, bool follows,
             const PlacedArray &placed, SetCounts &count, Slot &slot) {
    const Lines &found = issue.found.lines;
    const std::uint32_t elements = issue.elements;
    ++count.writeInstructions;
    count.writeSectors += found.sectorCount;
    // The first store of several waits in L1 for those that are combined with it.
    const double withOthers = instruction.storesOfPart > 1 && !instruction.apart
                                  ? combinedPart(found.count, instruction.storesOfPart)
                                  : 0;
    const double combined = follows ? withOthers : combinedWithLast(instruction, issue);
    const double passed = found.sectorCount * (1 - combined);
    count.l2WriteSectors += passed;
    const bool fillsSectors = elements * instruction.bytes >= found.sectorCount * kSectorBytes;
    const bool isWhole =
        fillsSectors || (withOthers > fit::kMostlyCombined && !instruction.partial);
    count.l2WholeSectors += isWhole ? passed : 0;
    const double bytes = static_cast<double>(elements) * instruction.bytes;
    if (issue.history->stored.keep(found, bytes / std::max(found.sectorCount, 1u),
                                   follows ? 0 : combined))
      count.l2WholeSectors += found.sectorCount; // the first store of them has passed these
    count.writeLines += found.count;
    // What a record's other fields leave of a sector is read below, and once.
    const std::uint32_t bytesASector =
        instruction.partial ? kSectorBytes
                            : elements * instruction.bytes / std::max(found.sectorCount, 1u);
    for (unsigned i = 0; i < found.count; ++i) {
      cache.store(found.line[i], isWhole ? found.sectors[i] : 0);
      share.write(found.line[i], found.sectors[i], bytesASector, counts.refetches);
    }
    if (instruction.sameSectors)
      return;
    for (unsigned i = 0; i < found.count; ++i) {
      const std::uint64_t first = firstGranule(placed, instruction.part, found.line[i]);
      touch(slot.writes, counts.writes, first, found.sectors[i], issue.isAffine);
      // A sector stored in part is filled from DRAM before it goes back there.
      if (instruction.partial)
        touch(slot.reads, counts.reads, first, found.sectors[i], issue.isAffine);
    }
  }

  /// Part of a store's sectors that L1 combines with those of the warp's last store, which was to
  /// another element: a plain array's elements side by side are what the fields of a struct are.
  static double combinedWithLast(const Instruction &instruction, const Issue &issue) {
    if (instruction.atomic || instruction.apart)
      return 0;
    const Lines &found = issue.found.lines;
    return combinedPart(found.count, kTwoStores) * issue.history->stored.partOf(found);
  }

  /// \param first  granule of the line
  /// \returns the region
  static ArrayTraffic &touch(GranuleSet &granules, std::vector<ArrayTraffic> &regions,
                             std::uint64_t first, std::uint32_t sectors, bool isAffine) {
    for (unsigned g = 0; g < kGranulesALine; ++g)
      if (isInGranule(sectors, g))
        granules.add(first + g);
    const std::size_t index = (first >> (kArrayShift - kGranuleShift)) - 1;
    if (index >= regions.size())
      regions.resize(index + 1);
    ArrayTraffic &region = regions[index];
    region.sectors += kSectorsIn[sectors];
    region.evenly += isAffine ? kSectorsIn[sectors] : 0;
    return region;
  }

  /// Learns where the planes of the tiled arrays lie that have come since the last call.
  void findPlanes(const std::vector<PlacedArray> &arrays) {
    for (; knownArrays < arrays.size(); ++knownArrays) {
      const PlacedArray &array = arrays[knownArrays];
      if (array.tile == 0)
        continue;
      for (const PlacedArray::Part &part : array.parts) {
        planes.resize(std::max<std::size_t>(planes.size(), part.plane >> kArrayShift));
        planes.back() = {part.plane, part.start, array.tile * part.bytes, array.blockBytes};
      }
    }
  }

  Pace pace;
  L1Cache cache;
  L2Share share;
  std::uint32_t launch = ~0u;     ///< whose lines the cache holds
  double blocksOfAnSm = 0;        ///< that one after the other find what the cache holds
  double blocksSinceClear = 0;    ///< of the cache
  std::vector<History> histories; ///< by warp of the wave
  std::array<Issue, kSchedulers> issues;
  double pipeFreeNs = 0;   ///< of the one pipe that all schedulers issue accesses to
  double missesFreeNs = 0; ///< L2 has sent all that was asked for before
  std::vector<Slot> slots;
  std::size_t nextWarp = 0; ///< of the wave: no slot was free for its block yet
  const Machine &machine;
  std::vector<CompiledSet> compiled; ///< by access set
  std::vector<TiledPlane> planes;    ///< by region; the last ones may be missing
  std::size_t knownArrays = 0;
  InstructionLines lines;
  KernelCounts counts;
};

SmReplay::SmReplay(const Machine &machine, std::uint64_t l1Bytes, std::uint32_t residentBlocks,
                   double blocksOfAnSm)
    : state_(std::make_unique<State>(machine, l1Bytes, residentBlocks, blocksOfAnSm)) {}
SmReplay::SmReplay(SmReplay &&) noexcept = default;
SmReplay::~SmReplay() = default;

const KernelCounts &SmReplay::counts() const { return state_->counts; }

void SmReplay::prepare(trace::Index kernel, const WarpStream &stream, const BoundLayouts &layouts,
                       const trace::SiteTable &sites) {
  State &state = *state_;
  const std::vector<AccessSet> &sets = stream.kernels[kernel].accessSets;
  while (state.compiled.size() < sets.size()) {
    const AccessSet &set = sets[state.compiled.size()];
    const trace::Index group = stream.arrays[set.array].group;
    const RecordLeaves *leaves =
        group == trace::kNone ? nullptr : &stream.leaves[sites.groups[group].record];
    state.compiled.push_back(compile(set, layouts.arrays()[set.array], leaves));
  }
  state.counts.sets.resize(state.compiled.size());
  state.findPlanes(layouts.arrays());
}

void SmReplay::replay(const Wave &wave, const BoundLayouts &layouts) {
  State &state = *state_;
  state.beginWave(wave);
  for (std::size_t s = 0; s < state.slots.size(); ++s)
    state.takeBlock(wave, s, 0);
  std::array<double, kSchedulers> nextNs{};
  const auto refreshNext = [&] {
    for (std::size_t i = 0; i < kSchedulers; ++i)
      nextNs[i] = state.issues[i].warps.nextNs();
  };
  for (refreshNext();;) {
    const auto next = static_cast<std::size_t>(std::ranges::min_element(nextNs) - nextNs.begin());
    if (std::isinf(nextNs[next]))
      break;
    State::Issue &issue = state.issues[next];
    if (issue.warps.take())
      state.beginBurst(wave, issue);
    if (!state.step(wave, layouts, issue)) {
      state.endBurst(issue);
      ResidentWarp warp = issue.warps.put();
      if (warp.next != warp.run->bundles.size()) {
        warp.readyNs = std::max(issue.loadedNs, issue.warps.nowNs);
        __builtin_prefetch(&warp.run->bundles[warp.next]);
        issue.warps.give(warp);
      } else if (--state.slots[warp.slot].running == 0) {
        state.leaveSlot(warp.slot);
        state.takeBlock(wave, warp.slot, issue.warps.nowNs);
        refreshNext();
      }
    }
    nextNs[next] = issue.warps.nextNs();
  }
}

} // namespace relayout::analysis
