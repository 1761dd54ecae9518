// SPDX-License-Identifier: Apache-2.0
// Replays bundles under a layout: instructions, L1 wavefronts and sectors, granules.
#include "relayout/analysis/replay/replay.h"

#include "granule_set.h"
#include "instructions.h"
#include "l1_cache.h"
#include "line_finder.h"
#include "relayout/analysis/replay/atomic_sectors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace relayout::analysis {
namespace {

/// Part of the sectors of a bundle's stores that L1 combines with those of the store before.
/// Measured: store sectors of L1 and L2 in tests/gpu/layout_bench.cu, `update` and `vectors`.
double combinedPart(std::size_t lines, std::uint32_t stores) {
  if (lines <= 4)
    return 0.98;
  if (lines <= 6)
    return 0.93;
  if (lines <= 8)
    return std::max(0.21, 0.72 - 0.063 * stores);
  return 0;
}

/// Blocks of an SM whose warps go on in turn, the first warp of each, then the second: an SM has
/// four schedulers that drift apart. Measured: of gathers from eight planes on an H100 16.8 million
/// sectors hit; two blocks in turn keep 23.8 million of them in L1, four 15.7 and eight 5.6.
constexpr std::size_t kInterleavedBlocks = 4;

/// Stores of which L1 combines more leave it as one: of elements that they fill, whole sectors.
constexpr double kMostlyCombined = 0.9;

/// Where fewer blocks were recorded than share an SM, those that are missing have their part of L1.
double partOfL1(const Wave &wave, std::size_t residentBlocks) {
  std::size_t blocks = 0;
  for (std::size_t w = 0; w < wave.warps.size(); ++w)
    blocks += w == 0 || wave.warps[w].block != wave.warps[w - 1].block ? 1 : 0;
  return std::min(1.0, static_cast<double>(blocks) / static_cast<double>(residentBlocks));
}

} // namespace

struct SmReplay::State {
  State(const Machine &machine, std::uint64_t l1Bytes, std::uint32_t residentBlocks)
      : cache(l1Bytes / kLineBytes), slots(std::max(residentBlocks, 1u)),
        scatteredExtent(machine.l2ScatteredBytes / kGranuleBytes) {}

  struct Slot {
    std::vector<const WarpRun *> warps;
    std::vector<std::size_t> next; ///< bundle of each warp
    GranuleSet reads;
    GranuleSet writes;

    [[nodiscard]] bool isDone() const {
      for (std::size_t w = 0; w < warps.size(); ++w)
        if (next[w] != warps[w]->bundles.size())
          return false;
      return true;
    }
  };

  /// What a warp does until it waits: loads follow one another until a store or until the
  /// registers are full.
  void step(const Wave &wave, std::size_t warp, const BoundLayouts &layouts, Slot &slot) {
    const std::vector<Bundle> &bundles = slot.warps[warp]->bundles;
    std::size_t &next = slot.next[warp];
    const std::uint64_t missedBefore = missed;
    SetCounts *waiting = nullptr;
    std::uint64_t waits = 1;
    atStart = next == 0;
    for (std::uint32_t registers = 0; next != bundles.size();) {
      const CompiledSet &code = compiled[bundles[next].accessSet];
      if (registers != 0 && registers + code.registers > kRegistersInFlight)
        break;
      registers += code.registers;
      waits += code.lateWaits;
      if (waiting == nullptr && code.registers != 0)
        waiting = &counts.sets[bundles[next].accessSet];
      bundle(wave, bundles[next++], layouts, slot);
      if (code.stores)
        break;
    }
    if (waiting != nullptr) {
      waiting->waits += waits;
      waiting->longWaits += missed != missedBefore ? waits : 0;
    }
  }

  /// Offset of an element in a part, from the part's first element.
  static std::uint64_t offsetOf(const PlacedArray &array, std::uint32_t bytes,
                                std::uint64_t element) {
    if (array.tile == 0)
      return element * bytes;
    return element / array.tile * array.blockBytes + element % array.tile * bytes;
  }

  /// The lines of an instruction whose lanes rise evenly within one tile.
  bool findAffine(const LanePattern &pattern, const PlacedArray &array,
                  const Instruction &instruction) {
    if (pattern.offsets != LanePattern::kAffine)
      return false;
    const PlacedArray::Part &part = array.parts[instruction.part];
    if (array.tile != 0) {
      const int lanes = 31 - std::countl_zero(pattern.mask) - std::countr_zero(pattern.mask);
      const std::uint64_t last =
          pattern.base + static_cast<std::uint64_t>(std::int64_t{pattern.stride} * lanes);
      if (pattern.base / array.tile != last / array.tile)
        return false;
    }
    finder.findAffine(part.start + offsetOf(array, part.bytes, pattern.base) + instruction.offset,
                      std::int64_t{pattern.stride} * part.bytes, pattern.mask, instruction.bytes,
                      lines);
    return true;
  }

  /// Each lane's element, in the pattern's own terms.
  static void elementsOf(const Wave &wave, const LanePattern &pattern, LaneAddresses &elements) {
    if (pattern.offsets == LanePattern::kAffine) {
      const int first = std::countr_zero(pattern.mask);
      for (int lane = 0; lane < trace::kWarpLanes; ++lane)
        elements[static_cast<unsigned>(lane)] =
            pattern.base +
            static_cast<std::uint64_t>(std::int64_t{pattern.stride} * (lane - first));
    } else {
      const auto &offsets = wave.offsets[pattern.offsets];
      for (unsigned lane = 0; lane < trace::kWarpLanes; ++lane)
        elements[lane] = pattern.base + offsets[lane];
    }
  }

  /// Addresses of all lanes' elements in a part.
  void addressLanes(const Wave &wave, const LanePattern &pattern, const PlacedArray &array,
                    std::uint32_t part) {
    elementsOf(wave, pattern, addresses);
    const PlacedArray::Part &at = array.parts[part];
    if (array.tile == 0) {
      for (std::uint64_t &address : addresses)
        address = at.start + address * at.bytes;
    } else if (std::has_single_bit(array.tile)) {
      const auto shift = static_cast<unsigned>(std::countr_zero(array.tile));
      for (std::uint64_t &address : addresses)
        address = at.start + (address >> shift) * array.blockBytes +
                  (address & (array.tile - 1)) * at.bytes;
    } else {
      for (std::uint64_t &address : addresses)
        address = at.start + offsetOf(array, at.bytes, address);
    }
  }

  /// Addresses where each lane has its own element of an array member.
  void addressMembers(const Wave &wave, const LanePattern &pattern, const PlacedArray &array,
                      const PlacedArray::FieldPlace &field) {
    elementsOf(wave, pattern, addresses);
    for (std::uint32_t left = pattern.mask; left != 0; left &= left - 1) {
      std::uint64_t &address = addresses[static_cast<unsigned>(std::countr_zero(left))];
      const std::uint64_t element = address / field.count;
      const auto k = static_cast<std::uint32_t>(address % field.count);
      const PlacedArray::Part &part = array.parts[field.part + k * field.partStep];
      address =
          part.start + offsetOf(array, part.bytes, element) + std::uint64_t{k} * field.offsetStep;
    }
  }

  /// Makes the sectors of an atomic those that L1 passes on, of the lanes in `addresses`.
  void takeTurns(const Instruction &instruction, std::uint32_t mask) {
    std::array<std::uint64_t, trace::kWarpLanes> active{};
    std::size_t lanes = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1)
      active[lanes++] =
          addresses[static_cast<unsigned>(std::countr_zero(left))] + instruction.offset;
    lines.sectorCount = atomicSectors(std::span(active.data(), lanes));
  }

  void bundle(const Wave &wave, const Bundle &bundle, const BoundLayouts &layouts, Slot &slot) {
    const CompiledSet &code = compiled[bundle.accessSet];
    const PlacedArray &array = layouts.arrays()[code.array];
    const LanePattern &pattern = wave.patterns[bundle.pattern];
    SetCounts &count = counts.sets[bundle.accessSet];
    ++count.bundles;
    count.otherInstructions += code.others;
    count.valueUses += code.uses;
    // Where lanes are here and there, an index was read and waited for.
    asksAtOnce = atStart && pattern.offsets == LanePattern::kAffine;
    const bool allSame = pattern.offsets == LanePattern::kAffine && pattern.stride == 0;
    const auto elements = allSame ? 1u : static_cast<std::uint32_t>(std::popcount(pattern.mask));
    if (code.arrayField != trace::kNone) {
      const Instruction &instruction = code.instructions.front();
      addressMembers(wave, pattern, array, array.fields[code.arrayField]);
      finder.find(addresses, pattern.mask, instruction.offset, instruction.bytes, lines);
      if (instruction.atomic)
        takeTurns(instruction, pattern.mask);
      perform(code, 0, elements, array, count, slot);
      return;
    }
    std::uint32_t part = ~0u; // the addresses are those of its elements
    for (std::size_t i = 0; i < code.instructions.size(); ++i) {
      const Instruction &instruction = code.instructions[i];
      if (instruction.movedLines != 0) {
        for (unsigned l = 0; l < lines.count; ++l)
          lines.line[l] += static_cast<std::uint64_t>(instruction.movedLines);
      } else if (!instruction.sameSectors && !findAffine(pattern, array, instruction)) {
        if (instruction.part != part) {
          part = instruction.part;
          addressLanes(wave, pattern, array, part);
        }
        finder.find(addresses, pattern.mask, instruction.offset, instruction.bytes, lines);
      }
      if (instruction.atomic) {
        addressLanes(wave, pattern, array, instruction.part);
        part = instruction.part;
        takeTurns(instruction, pattern.mask);
      }
      perform(code, i, elements, array, count, slot);
    }
  }

  /// Counts one instruction whose lines were found.
  void perform(const CompiledSet &code, std::size_t index, std::uint32_t elements,
               const PlacedArray &array, SetCounts &count, Slot &slot) {
    const Instruction &instruction = code.instructions[index];
    count.wavefronts += lines.wavefronts;
    count.usedBytes += std::uint64_t{elements} * instruction.usedBytes;
    if (instruction.store)
      store(instruction, elements,
            index > 0 && code.instructions[index - 1].store &&
                code.instructions[index - 1].part == instruction.part,
            array, count, slot);
    else
      load(instruction, array, count, slot);
  }

  void load(const Instruction &instruction, const PlacedArray &placed, SetCounts &count,
            Slot &slot) {
    ++count.readInstructions;
    count.readSectors += lines.sectorCount;
    if (instruction.sameSectors) {
      count.readHits += lines.sectorCount;
      return;
    }
    std::uint32_t missed = 0;
    for (unsigned i = 0; i < lines.count; ++i) {
      const std::uint32_t missing = cache.load(lines.line[i], lines.sectors[i]);
      if (missing == 0)
        continue;
      missed += kSectorsIn[missing];
      ++count.missLines;
      ++this->missed;
      const std::size_t region =
          touch(slot.reads, placed, instruction.part, lines.line[i], missing);
      if (region >= counts.reads.size())
        counts.reads.resize(region + 1);
      counts.reads[region].missedSectors += kSectorsIn[missing];
      counts.reads[region].missedAtOnce += asksAtOnce ? kSectorsIn[missing] : 0;
    }
    count.readHits += lines.sectorCount - missed;
  }

  /// \param elements  different ones among the lanes
  void store(const Instruction &instruction, std::uint32_t elements, bool follows,
             const PlacedArray &placed, SetCounts &count, Slot &slot) {
    ++count.writeInstructions;
    count.writeSectors += lines.sectorCount;
    // The first store of several waits in L1 for those that are combined with it.
    const double withOthers = instruction.storesOfPart > 1 && !instruction.apart
                                  ? combinedPart(lines.count, instruction.storesOfPart)
                                  : 0;
    const double passed = lines.sectorCount * (1 - (follows ? withOthers : 0));
    count.l2WriteSectors += passed;
    const bool fillsSectors = elements * instruction.bytes >= lines.sectorCount * kSectorBytes;
    if (fillsSectors || (withOthers > kMostlyCombined && !instruction.partial))
      count.l2WholeSectors += passed;
    count.writeLines += lines.count;
    if (instruction.sameSectors)
      return;
    for (unsigned i = 0; i < lines.count; ++i) {
      touch(slot.writes, placed, instruction.part, lines.line[i], lines.sectors[i]);
      // A sector stored in part is filled from DRAM before it goes back there.
      if (instruction.partial)
        touch(slot.reads, placed, instruction.part, lines.line[i], lines.sectors[i]);
    }
  }

  /// Granules of a tiled array are numbered as if each of its parts were a plane of its own, so
  /// that what another part holds between them counts neither as a gap nor as part of a run.
  /// \returns the region
  static std::size_t touch(GranuleSet &granules, const PlacedArray &placed, std::uint32_t part,
                           std::uint64_t line, std::uint32_t sectors) {
    std::uint64_t first = line * (kLineBytes / kGranuleBytes);
    if (placed.tile != 0) {
      const PlacedArray::Part &at = placed.parts[part];
      const std::uint64_t origin = at.start >> kArrayShift << kArrayShift;
      const std::uint64_t offset = line * kLineBytes - origin;
      const std::uint64_t tile = offset / placed.blockBytes;
      const std::uint64_t within = offset % placed.blockBytes + origin;
      const std::uint64_t inPart = within > at.start ? within - at.start : 0;
      first = (at.plane + tile * placed.tile * at.bytes + inPart) / kGranuleBytes;
    }
    if ((sectors & 3) != 0)
      granules.add(first);
    if ((sectors & 12) != 0)
      granules.add(first + 1);
    return (first >> (kArrayShift - kGranuleShift)) - 1;
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

  L1Cache cache;
  std::uint32_t launch = ~0u; ///< whose lines the cache holds
  std::vector<Slot> slots;
  std::uint64_t scatteredExtent;
  std::vector<CompiledSet> compiled; ///< by access set
  std::vector<TiledPlane> planes;    ///< by region; the last ones may be missing
  std::size_t knownArrays = 0;
  LineFinder finder;
  LaneAddresses addresses{};
  Lines lines;
  std::uint64_t missed = 0; ///< lines, by all loads so far
  bool atStart = false;     ///< the warp has not waited yet
  bool asksAtOnce = false;  ///< nor for the bundle's addresses
  KernelCounts counts;
};

SmReplay::SmReplay(const Machine &machine, std::uint64_t l1Bytes, std::uint32_t residentBlocks)
    : state_(std::make_unique<State>(machine, l1Bytes, residentBlocks)) {}
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
  state.counts.warpAccesses += wave.warpAccesses;
  state.counts.warps += wave.warps.size();
  if (wave.launch != state.launch)
    state.cache.clear(partOfL1(wave, state.slots.size()));
  state.launch = wave.launch;

  // Blocks take the slots of the SM as these become free; each warp in turn makes one step.
  std::size_t nextWarp = 0;
  const auto fill = [&](State::Slot &slot) {
    slot.warps.clear();
    if (nextWarp == wave.warps.size())
      return false;
    const std::uint32_t block = wave.warps[nextWarp].block;
    while (nextWarp < wave.warps.size() && wave.warps[nextWarp].block == block)
      slot.warps.push_back(&wave.warps[nextWarp++]);
    slot.next.assign(slot.warps.size(), 0);
    ++state.counts.blocks;
    return true;
  };
  std::size_t running = 0;
  for (State::Slot &slot : state.slots)
    running += fill(slot) ? 1 : 0;
  while (running != 0)
    for (std::size_t first = 0; first < state.slots.size(); first += kInterleavedBlocks) {
      const std::size_t last = std::min(first + kInterleavedBlocks, state.slots.size());
      std::size_t warps = 0;
      for (std::size_t s = first; s < last; ++s)
        warps = std::max(warps, state.slots[s].warps.size());
      for (std::size_t w = 0; w < warps; ++w)
        for (std::size_t s = first; s < last; ++s)
          if (w < state.slots[s].warps.size())
            state.step(wave, w, layouts, state.slots[s]);
      for (std::size_t s = first; s < last; ++s) {
        State::Slot &slot = state.slots[s];
        if (slot.warps.empty() || !slot.isDone())
          continue;
        IsolatedRows &isolated = state.counts.isolated;
        slot.reads.flush(state.counts.reads, state.scatteredExtent, state.planes, isolated);
        slot.writes.flush(state.counts.writes, state.scatteredExtent, state.planes, isolated);
        running -= fill(slot) ? 0 : 1;
      }
    }
}

SetCounts &SetCounts::operator+=(const SetCounts &other) {
  bundles += other.bundles;
  readInstructions += other.readInstructions;
  writeInstructions += other.writeInstructions;
  otherInstructions += other.otherInstructions;
  valueUses += other.valueUses;
  wavefronts += other.wavefronts;
  readSectors += other.readSectors;
  readHits += other.readHits;
  missLines += other.missLines;
  writeSectors += other.writeSectors;
  writeLines += other.writeLines;
  l2WriteSectors += other.l2WriteSectors;
  l2WholeSectors += other.l2WholeSectors;
  usedBytes += other.usedBytes;
  waits += other.waits;
  longWaits += other.longWaits;
  return *this;
}

void accumulate(KernelCounts &sum, const KernelCounts &part) {
  sum.sets.resize(std::max(sum.sets.size(), part.sets.size()));
  for (std::size_t i = 0; i < part.sets.size(); ++i)
    sum.sets[i] += part.sets[i];
  sum.reads.resize(std::max(sum.reads.size(), part.reads.size()));
  for (std::size_t i = 0; i < part.reads.size(); ++i)
    sum.reads[i] += part.reads[i];
  sum.writes.resize(std::max(sum.writes.size(), part.writes.size()));
  for (std::size_t i = 0; i < part.writes.size(); ++i)
    sum.writes[i] += part.writes[i];
  sum.isolated.granules += part.isolated.granules;
  sum.isolated.rows += part.isolated.rows;
  sum.blocks += part.blocks;
  sum.warps += part.warps;
  sum.warpAccesses += part.warpAccesses;
}

} // namespace relayout::analysis
