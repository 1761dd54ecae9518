// SPDX-License-Identifier: Apache-2.0
// Replays bundles under a layout: instructions, L1 wavefronts and sectors, granules.
#include "relayout/analysis/replay/replay.h"

#include "granule_set.h"
#include "l1_cache.h"

#include <algorithm>
#include <bit>

namespace relayout::analysis {
namespace {

using LaneAddresses = std::array<std::uint64_t, trace::kWarpLanes>;

/// Bits set in a mask of four sectors.
constexpr std::array<std::uint8_t, 16> kSectorsIn{0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

/// One machine instruction that a bundle becomes.
struct Instruction {
  std::uint32_t part = 0; ///< of the placed array
  std::uint32_t offset = 0;
  std::uint32_t bytes = 4; ///< a lane
  bool store = false;
  bool partial = false; ///< a store that leaves bytes of its part as they were
  /// Touches the very sectors that the instruction before touched.
  bool sameSectors = false;
  /// Touches the lines of the instruction before, so many further on: planes of fields of one size.
  std::int64_t movedLines = 0;
  std::uint32_t storesOfPart = 0; ///< stores to this part in the bundle
};

struct Compiled {
  std::vector<Instruction> instructions;
  std::uint32_t others = 0; ///< other instructions a bundle: addresses, a use of each value
};

/// Instructions for one kind of access to a set of fields: neighbouring fields of equal size become
/// one vector access as far as the part's alignment allows, as nvcc does it.
void addAccesses(const PlacedArray &array, std::uint64_t fields, bool store,
                 std::vector<Instruction> &out) {
  for (std::uint32_t p = 0; p < array.parts.size(); ++p) {
    struct Unit {
      std::uint32_t offset;
      std::uint32_t bytes;
    };
    std::vector<Unit> units;
    std::uint32_t covered = 0;
    for (std::uint32_t f = 0; f < array.fields.size(); ++f) {
      const PlacedArray::FieldPlace &field = array.fields[f];
      if (field.part != p || (fields >> f & 1) == 0)
        continue;
      const std::uint32_t unit = std::min({field.alignment, field.bytes, 16u});
      for (std::uint32_t at = 0; at < field.bytes; at += unit)
        units.push_back({field.offset + at, unit});
      covered += field.bytes;
    }
    std::ranges::sort(units, {}, &Unit::offset);
    const std::uint32_t alignment = array.parts[p].alignment;
    const std::size_t begin = out.size();
    for (std::size_t i = 0; i < units.size();) {
      std::size_t taken = 1;
      std::uint32_t bytes = units[i].bytes;
      for (const std::uint32_t wide : {16u, 8u}) {
        if (wide <= bytes || wide > alignment || units[i].offset % wide != 0)
          continue;
        std::size_t end = i;
        std::uint32_t reached = 0;
        while (end < units.size() && reached < wide && units[end].bytes == units[i].bytes &&
               units[end].offset == units[i].offset + reached) {
          reached += units[end].bytes;
          ++end;
        }
        if (reached == wide) {
          taken = end - i;
          bytes = wide;
          break;
        }
      }
      Instruction instruction;
      instruction.part = p;
      instruction.offset = units[i].offset;
      instruction.bytes = bytes;
      instruction.store = store;
      instruction.partial = store && covered < array.parts[p].bytes;
      const bool sectorsFixed = array.parts[p].bytes % kSectorBytes == 0 &&
                                array.parts[p].start % kSectorBytes == 0 &&
                                array.blockBytes % kSectorBytes == 0;
      instruction.sameSectors =
          out.size() > begin && sectorsFixed &&
          out.back().offset / kSectorBytes == instruction.offset / kSectorBytes &&
          out.back().bytes == bytes;
      out.push_back(instruction);
      i += taken;
    }
    for (std::size_t i = begin; i < out.size(); ++i)
      out[i].storesOfPart = static_cast<std::uint32_t>(out.size() - begin);
  }
}

Compiled compile(const AccessSet &set, const PlacedArray &array) {
  Compiled compiled;
  if (set.bytes != 0) {
    Instruction instruction;
    instruction.bytes = std::clamp(std::bit_floor(set.bytes), 4u, 16u);
    instruction.store = set.writes != 0 || set.atomics != 0;
    instruction.storesOfPart = 1;
    compiled.instructions.push_back(instruction);
    compiled.others = 2;
    return compiled;
  }
  addAccesses(array, set.reads, false, compiled.instructions);
  addAccesses(array, set.writes, true, compiled.instructions);
  addAccesses(array, set.atomics, true, compiled.instructions);
  for (std::size_t i = 1; i < compiled.instructions.size(); ++i) {
    const Instruction &before = compiled.instructions[i - 1];
    Instruction &instruction = compiled.instructions[i];
    const PlacedArray::Part &from = array.parts[before.part];
    const PlacedArray::Part &to = array.parts[instruction.part];
    const auto moved = static_cast<std::int64_t>(to.start - from.start);
    if (before.part != instruction.part && before.bytes == instruction.bytes &&
        before.offset == instruction.offset && from.bytes == to.bytes && moved % kLineBytes == 0)
      instruction.movedLines = moved / static_cast<std::int64_t>(kLineBytes);
  }
  // One, one use a field, a half for each pointer, two to split a tiled index. Measured: executed
  // instructions of the loops of tests/gpu/layout_bench.cu.
  std::uint64_t parts = 0;
  for (const Instruction &instruction : compiled.instructions)
    parts |= std::uint64_t{1} << std::min(instruction.part, 63u);
  const auto fields = static_cast<std::uint32_t>(
      std::popcount(set.reads) + std::popcount(set.writes) + std::popcount(set.atomics));
  compiled.others = 1 + fields + static_cast<std::uint32_t>(std::popcount(parts) + 1) / 2 +
                    (array.tile != 0 ? 2 : 0);
  return compiled;
}

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

/// The distinct lines of one instruction, with their sectors.
struct Lines {
  std::array<std::uint64_t, trace::kWarpLanes> line{};
  std::array<std::uint32_t, trace::kWarpLanes> sectors{};
  unsigned count = 0;
  unsigned sectorCount = 0;
  unsigned wavefronts = 0;
};

class LineFinder {
public:
  void find(const LaneAddresses &addresses, std::uint32_t mask, std::uint32_t offset,
            std::uint32_t bytes, Lines &lines) {
    ++epoch_;
    lines.count = 0;
    std::array<std::uint8_t, 32> inBank{};
    std::array<std::uint8_t, 4> inTagBank{};
    const unsigned slotShift = static_cast<unsigned>(std::countr_zero(bytes));
    std::uint64_t previous = ~std::uint64_t{0};
    unsigned conflicts = 1;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
      const std::uint64_t address =
          addresses[static_cast<unsigned>(std::countr_zero(left))] + offset;
      if (address == previous)
        continue;
      previous = address;
      conflicts = std::max<unsigned>(conflicts, ++inBank[(address % kLineBytes >> slotShift) % 32]);
      const std::uint64_t line = address / kLineBytes;
      const std::uint32_t sector = 1u << (address / kSectorBytes % 4);
      if (lines.count != 0 && lines.line[lines.count - 1] == line) {
        lines.sectors[lines.count - 1] |= sector;
        continue;
      }
      unsigned slot = static_cast<unsigned>((line * 0x9e3779b97f4a7c15u) >> 58);
      while (slots_[slot].epoch == epoch_ && lines.line[slots_[slot].index] != line)
        slot = (slot + 1) % slots_.size();
      if (slots_[slot].epoch == epoch_) {
        lines.sectors[slots_[slot].index] |= sector;
        continue;
      }
      slots_[slot] = {epoch_, lines.count};
      conflicts = std::max<unsigned>(conflicts, ++inTagBank[line % 4]);
      lines.line[lines.count] = line;
      lines.sectors[lines.count] = sector;
      ++lines.count;
    }
    lines.sectorCount = 0;
    for (unsigned i = 0; i < lines.count; ++i)
      lines.sectorCount += kSectorsIn[lines.sectors[i]];
    // The registers of a warp take 128 bytes a cycle, equal addresses or not.
    const unsigned returned =
        (static_cast<unsigned>(std::popcount(mask)) * bytes + kLineBytes - 1) / kLineBytes;
    lines.wavefronts = std::max(conflicts, returned);
  }

private:
  struct Slot {
    std::uint32_t epoch = 0;
    unsigned index = 0;
  };
  std::array<Slot, 64> slots_{};
  std::uint32_t epoch_ = 0;
};

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
  };

  void lanes(const Wave &wave, const LanePattern &pattern, const PlacedArray &array,
             std::uint32_t part) {
    const PlacedArray::Part &at = array.parts[part];
    const std::uint64_t start = at.start;
    if (pattern.offsets == LanePattern::kAffine) {
      const int first = std::countr_zero(pattern.mask);
      for (int lane = 0; lane < trace::kWarpLanes; ++lane)
        addresses[static_cast<unsigned>(lane)] =
            pattern.base +
            static_cast<std::uint64_t>(std::int64_t{pattern.stride} * (lane - first));
    } else {
      const auto &offsets = wave.offsets[pattern.offsets];
      for (unsigned lane = 0; lane < trace::kWarpLanes; ++lane)
        addresses[lane] = pattern.base + offsets[lane];
    }
    if (array.tile == 0) {
      for (std::uint64_t &address : addresses)
        address = start + address * at.bytes;
    } else if (std::has_single_bit(array.tile)) {
      const unsigned shift = static_cast<unsigned>(std::countr_zero(array.tile));
      for (std::uint64_t &address : addresses)
        address =
            start + (address >> shift) * array.blockBytes + (address & (array.tile - 1)) * at.bytes;
    } else {
      for (std::uint64_t &address : addresses)
        address = start + address / array.tile * array.blockBytes + address % array.tile * at.bytes;
    }
  }

  void bundle(const Wave &wave, const Bundle &bundle, const KernelStream &kernel,
              const BoundLayouts &layouts, Slot &slot) {
    const AccessSet &set = kernel.accessSets[bundle.accessSet];
    const PlacedArray &array = layouts.arrays()[set.array];
    const LanePattern &pattern = wave.patterns[bundle.pattern];
    SetCounts &count = counts.sets[bundle.accessSet];
    const Compiled &code = compiled[bundle.accessSet];
    ++count.bundles;
    count.otherInstructions += code.others;
    const bool allSame = pattern.offsets == LanePattern::kAffine && pattern.stride == 0;
    const auto elements = allSame ? 1u : static_cast<std::uint32_t>(std::popcount(pattern.mask));
    std::uint32_t part = ~0u; // the addresses are those of its elements
    for (std::size_t i = 0; i < code.instructions.size(); ++i) {
      const Instruction &instruction = code.instructions[i];
      if (instruction.movedLines != 0) {
        for (unsigned l = 0; l < lines.count; ++l)
          lines.line[l] += static_cast<std::uint64_t>(instruction.movedLines);
      } else if (!instruction.sameSectors) {
        if (instruction.part != part) {
          part = instruction.part;
          lanes(wave, pattern, array, part);
        }
        finder.find(addresses, pattern.mask, instruction.offset, instruction.bytes, lines);
      }
      count.wavefronts += lines.wavefronts;
      count.usedBytes += std::uint64_t{elements} * instruction.bytes;
      if (instruction.store)
        store(instruction,
              i > 0 && code.instructions[i - 1].store &&
                  code.instructions[i - 1].part == instruction.part,
              array, count, slot);
      else
        load(instruction, array, count, slot);
    }
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
      touch(slot.reads, placed, instruction.part, lines.line[i], missing);
    }
    count.readHits += lines.sectorCount - missed;
  }

  void store(const Instruction &instruction, bool follows, const PlacedArray &placed,
             SetCounts &count, Slot &slot) {
    ++count.writeInstructions;
    count.writeSectors += lines.sectorCount;
    const double combined = follows ? combinedPart(lines.count, instruction.storesOfPart) : 0;
    count.l2WriteSectors += lines.sectorCount * (1 - combined);
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
  static void touch(GranuleSet &granules, const PlacedArray &placed, std::uint32_t part,
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
  }

  L1Cache cache;
  std::vector<Slot> slots;
  std::uint64_t scatteredExtent;
  std::vector<Compiled> compiled; ///< by access set
  LineFinder finder;
  LaneAddresses addresses{};
  Lines lines;
  KernelCounts counts;
};

SmReplay::SmReplay(const Machine &machine, std::uint64_t l1Bytes, std::uint32_t residentBlocks)
    : state_(std::make_unique<State>(machine, l1Bytes, residentBlocks)) {}
SmReplay::SmReplay(SmReplay &&) noexcept = default;
SmReplay::~SmReplay() = default;

const KernelCounts &SmReplay::counts() const { return state_->counts; }

void SmReplay::replay(const Wave &wave, const KernelStream &kernel, const BoundLayouts &layouts) {
  State &state = *state_;
  for (std::size_t set = state.compiled.size(); set < kernel.accessSets.size(); ++set)
    state.compiled.push_back(
        compile(kernel.accessSets[set], layouts.arrays()[kernel.accessSets[set].array]));
  state.counts.sets.resize(state.compiled.size());
  state.counts.warpAccesses += wave.warpAccesses;
  state.counts.warps += wave.warps.size();

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
    for (State::Slot &slot : state.slots) {
      if (slot.warps.empty())
        continue;
      bool left = false;
      for (std::size_t w = 0; w < slot.warps.size(); ++w) {
        const std::vector<Bundle> &bundles = slot.warps[w]->bundles;
        if (slot.next[w] == bundles.size())
          continue;
        state.bundle(wave, bundles[slot.next[w]++], kernel, layouts, slot);
        left = left || slot.next[w] != bundles.size();
      }
      if (left)
        continue;
      slot.reads.flush(state.counts.reads, state.scatteredExtent);
      slot.writes.flush(state.counts.writes, state.scatteredExtent);
      running -= fill(slot) ? 0 : 1;
    }
}

SetCounts &SetCounts::operator+=(const SetCounts &other) {
  bundles += other.bundles;
  readInstructions += other.readInstructions;
  writeInstructions += other.writeInstructions;
  otherInstructions += other.otherInstructions;
  wavefronts += other.wavefronts;
  readSectors += other.readSectors;
  readHits += other.readHits;
  missLines += other.missLines;
  writeSectors += other.writeSectors;
  writeLines += other.writeLines;
  l2WriteSectors += other.l2WriteSectors;
  usedBytes += other.usedBytes;
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
  sum.blocks += part.blocks;
  sum.warps += part.warps;
  sum.warpAccesses += part.warpAccesses;
}

Result<void> BoundLayouts::cover(const WarpStream &stream) {
  while (arrays_.size() < stream.arrays.size()) {
    const ReplayArray &array = stream.arrays[arrays_.size()];
    PlacedArray placed;
    const auto newRegion = [this] { return ++regions_ << kArrayShift; };
    const std::uint64_t phase = array.address % kPlaneAlignment;
    if (array.group == trace::kNone) {
      placed.parts = {{newRegion() + phase, 0, kFixedWordBytes, 16}};
      placed.totalBytes = array.elements * kFixedWordBytes;
      arrays_.push_back(std::move(placed));
      continue;
    }
    const trace::Record &record = sites_->records[sites_->groups[array.group].record];
    const Layout *const layout = layouts_[array.group];
    if (layout == nullptr) {
      placed.parts = {{newRegion() + phase, 0, record.bytes, record.alignment}};
      for (const trace::Field &field : record.fields)
        placed.fields.push_back({0, field.offset, field.bytes, field.alignment});
      placed.totalBytes = array.elements * record.bytes;
      arrays_.push_back(std::move(placed));
      continue;
    }
    const std::vector<LayoutField> fields = layoutFields(record);
    const Result<AddressFunction> bound = AddressFunction::bind(*layout, fields, array.elements);
    if (!bound)
      return tl::unexpected(bound.error());
    placed.tile = layout->tile;
    placed.blockBytes = bound->blockBytes();
    placed.totalBytes = bound->totalBytes();
    const std::uint64_t tiles = placed.tile != 0 ? newRegion() : 0;
    // Planes start at multiples of kPlaneAlignment, so a region of its own changes no sector.
    for (std::uint32_t c = 0; c < layout->clusters.size(); ++c) {
      const std::uint64_t plane = newRegion();
      placed.parts.push_back({placed.tile != 0 ? tiles + bound->clusterStart(c) : plane, plane,
                              static_cast<std::uint32_t>(bound->clusterBytes(c)),
                              bound->clusterAlignment(c)});
    }
    for (std::uint32_t f = 0; f < fields.size(); ++f)
      placed.fields.push_back({bound->clusterOf(f),
                               static_cast<std::uint32_t>(bound->offsetInCluster(f)),
                               fields[f].bytes, fields[f].alignment});
    arrays_.push_back(std::move(placed));
  }
  return {};
}

} // namespace relayout::analysis
