// SPDX-License-Identifier: Apache-2.0
// Lines, sectors and wavefronts of one warp instruction.
#include "replay/memory/line_finder.h"

#include <algorithm>
#include <bit>

namespace relayout::analysis {

void LineFinder::find(const LaneAddresses &addresses, std::uint32_t mask, std::uint32_t offset,
                      std::uint32_t bytes, Lines &lines) {
  ++epoch_;
  lines.count = 0;
  // Tags are looked up in passes, each of one line a tag bank; then the lanes of these lines whose
  // words lie in one data bank are replayed.
  std::array<std::array<std::uint8_t, kDataBanks>, trace::kWarpLanes> inBank;
  std::array<std::uint8_t, trace::kWarpLanes> conflicts;
  std::array<std::uint8_t, kTagBanks> inTagBank{};
  unsigned passes = 0;
  const unsigned slotShift = static_cast<unsigned>(std::countr_zero(bytes));
  std::uint64_t previous = ~std::uint64_t{0};
  unsigned current = 0; ///< index of the lane's line
  for (std::uint32_t left = mask; left != 0; left &= left - 1) {
    const std::uint64_t address = addresses[static_cast<unsigned>(std::countr_zero(left))] + offset;
    if (address == previous)
      continue;
    previous = address;
    const std::uint64_t line = address / kLineBytes;
    const auto sector = static_cast<std::uint8_t>(1u << (address / kSectorBytes % kSectorsALine));
    if (lines.count == 0 || lines.line[current] != line) {
      unsigned slot = static_cast<unsigned>((line * 0x9e3779b97f4a7c15u) >> 58);
      while (slots_[slot].epoch == epoch_ && lines.line[slots_[slot].index] != line)
        slot = (slot + 1) % slots_.size();
      if (slots_[slot].epoch != epoch_) {
        const std::uint8_t pass = inTagBank[tagBanks_.of(address)]++;
        if (pass == passes) {
          inBank[passes].fill(0);
          conflicts[passes++] = 0;
        }
        slots_[slot] = {epoch_, lines.count};
        lines.line[lines.count] = line;
        lines.sectors[lines.count] = 0;
        passOf_[lines.count++] = pass;
      }
      current = slots_[slot].index;
    }
    lines.sectors[current] |= sector;
    const std::uint8_t pass = passOf_[current];
    conflicts[pass] =
        std::max(conflicts[pass], ++inBank[pass][(address % kLineBytes >> slotShift) % kDataBanks]);
  }
  lines.sectorCount = 0;
  for (unsigned i = 0; i < lines.count; ++i)
    lines.sectorCount += kSectorsIn[lines.sectors[i]];
  // Equal addresses or not.
  const unsigned returned =
      (static_cast<unsigned>(std::popcount(mask)) * bytes + kReturnedBytes - 1) / kReturnedBytes;
  unsigned wavefronts = 0;
  for (unsigned pass = 0; pass < passes; ++pass)
    wavefronts += conflicts[pass];
  lines.wavefronts = std::max({wavefronts, returned, 1u});
}

void LineFinder::findAffine(std::uint64_t first, std::int64_t rise, std::uint32_t mask,
                            std::uint32_t bytes, Lines &lines) {
  const std::uint64_t origin = first / kLineBytes;
  const auto start = static_cast<std::uint16_t>(first % kLineBytes);
  std::uint64_t mixed = (static_cast<std::uint64_t>(rise) * 0x9e3779b97f4a7c15u) ^
                        (std::uint64_t{mask} * 0xd6e8feb86659fd93u) ^
                        (start * kWarpThreads + bytes);
  mixed *= 0x9e3779b97f4a7c15u;
  Known &known = known_[mixed >> 55];
  if (known.mask != mask || known.rise != rise || known.start != start || known.bytes != bytes) {
    LaneAddresses addresses{};
    // Far enough from 0 for falling addresses. Which lines share a tag bank depends little on where
    // the first one lies.
    constexpr std::uint64_t kFar = std::uint64_t{1} << 52;
    const int lowest = std::countr_zero(mask);
    for (int lane = 0; lane < trace::kWarpLanes; ++lane)
      addresses[static_cast<unsigned>(lane)] =
          kFar + start + static_cast<std::uint64_t>(rise * (lane - lowest));
    find(addresses, mask, 0, bytes, known.lines);
    for (unsigned i = 0; i < known.lines.count; ++i)
      known.lines.line[i] -= kFar / kLineBytes;
    known.rise = rise;
    known.mask = mask;
    known.start = start;
    known.bytes = static_cast<std::uint16_t>(bytes);
  }
  lines.count = known.lines.count;
  lines.sectorCount = known.lines.sectorCount;
  lines.wavefronts = known.lines.wavefronts;
  for (unsigned i = 0; i < lines.count; ++i) {
    lines.line[i] = known.lines.line[i] + origin;
    lines.sectors[i] = known.lines.sectors[i];
  }
}

} // namespace relayout::analysis
