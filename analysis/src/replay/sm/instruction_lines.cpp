// SPDX-License-Identifier: Apache-2.0
// Addresses of lanes under a layout.
#include "replay/sm/instruction_lines.h"

#include "relayout/analysis/replay/memory/atomic_sectors.h"
#include "replay/memory/bank_wavefronts.h"

#include <array>
#include <bit>
#include <span>

namespace relayout::analysis {
namespace {

/// Offset of an element in a part, from the part's first element.
std::uint64_t offsetOf(const PlacedArray &array, std::uint32_t bytes, std::uint64_t element) {
  const std::uint64_t place = array.places.of(element);
  if (array.tile == 0)
    return place * bytes;
  return place / array.tile * array.blockBytes + place % array.tile * bytes;
}

/// Each lane's element, in the pattern's own terms.
void elementsOf(const Wave &wave, const LanePattern &pattern, LaneAddresses &elements) {
  if (pattern.offsets == LanePattern::kAffine) {
    const int first = std::countr_zero(pattern.mask);
    for (int lane = 0; lane < trace::kWarpLanes; ++lane)
      elements[static_cast<unsigned>(lane)] =
          pattern.base + static_cast<std::uint64_t>(std::int64_t{pattern.stride} * (lane - first));
  } else {
    const auto &offsets = wave.offsets[pattern.offsets];
    for (unsigned lane = 0; lane < trace::kWarpLanes; ++lane)
      elements[lane] = pattern.base + offsets[lane];
  }
}

/// Addresses of all lanes' elements in a part.
void addressLanes(const Wave &wave, const LanePattern &pattern, const PlacedArray &array,
                  std::uint32_t part, BundleLines &found) {
  found.part = part;
  elementsOf(wave, pattern, found.addresses);
  const PlacedArray::Part &at = array.parts[part];
  if (!array.places.isAsNumbered()) {
    for (std::uint32_t left = pattern.mask; left != 0; left &= left - 1) {
      std::uint64_t &address = found.addresses[static_cast<unsigned>(std::countr_zero(left))];
      address = at.start + offsetOf(array, at.bytes, address);
    }
  } else if (array.tile == 0) {
    for (std::uint64_t &address : found.addresses)
      address = at.start + address * at.bytes;
  } else if (std::has_single_bit(array.tile)) {
    const auto shift = static_cast<unsigned>(std::countr_zero(array.tile));
    for (std::uint64_t &address : found.addresses)
      address = at.start + (address >> shift) * array.blockBytes +
                (address & (array.tile - 1)) * at.bytes;
  } else {
    for (std::uint64_t &address : found.addresses)
      address = at.start + offsetOf(array, at.bytes, address);
  }
}

/// Addresses where each lane has its own element of an array member.
void addressMembers(const Wave &wave, const LanePattern &pattern, const PlacedArray &array,
                    const PlacedArray::FieldPlace &field, LaneAddresses &addresses) {
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

/// Makes the sectors of an atomic those that L1 passes on, of the lanes' addresses.
void countSectorsOfAtomic(const Instruction &instruction, std::uint32_t mask,
                          const TagBanks &tagBanks, BundleLines &found) {
  std::array<std::uint64_t, trace::kWarpLanes> active{};
  std::size_t lanes = 0;
  for (std::uint32_t left = mask; left != 0; left &= left - 1)
    active[lanes++] =
        found.addresses[static_cast<unsigned>(std::countr_zero(left))] + instruction.offset;
  found.lines.sectorCount = atomicSectors(std::span(active.data(), lanes), tagBanks);
}

} // namespace

/// The lines of an instruction whose lanes rise evenly within one tile.
bool InstructionLines::findAffine(const LanePattern &pattern, const PlacedArray &array,
                                  const Instruction &instruction, BundleLines &found) {
  if (pattern.offsets != LanePattern::kAffine || !array.places.isAsNumbered())
    return false;
  const PlacedArray::Part &part = array.parts[instruction.part];
  if (array.tile != 0) {
    const int lanes =
        trace::kWarpLanes - 1 - std::countl_zero(pattern.mask) - std::countr_zero(pattern.mask);
    const std::uint64_t last =
        pattern.base + static_cast<std::uint64_t>(std::int64_t{pattern.stride} * lanes);
    if (pattern.base / array.tile != last / array.tile)
      return false;
  }
  finder_.findAffine(part.start + offsetOf(array, part.bytes, pattern.base) + instruction.offset,
                     std::int64_t{pattern.stride} * part.bytes, pattern.mask, instruction.bytes,
                     found.lines);
  return true;
}

void InstructionLines::findShared(const Wave &wave, const LanePattern &pattern,
                                  const PlacedArray &array, const CompiledSet &code,
                                  const Instruction &instruction, BundleLines &found) {
  if (code.arrayField != trace::kNone)
    addressMembers(wave, pattern, array, array.fields[code.arrayField], found.addresses);
  else if (instruction.part != found.part)
    addressLanes(wave, pattern, array, instruction.part, found);
  found.lines.count = found.lines.sectorCount = 0;
  found.lines.wavefronts =
      bankWavefronts(found.addresses, pattern.mask, instruction.offset, instruction.bytes);
}

void InstructionLines::find(const Wave &wave, const LanePattern &pattern, const PlacedArray &array,
                            const CompiledSet &code, std::size_t index, BundleLines &found) {
  const Instruction &instruction = code.instructions[index];
  if (array.isShared)
    return findShared(wave, pattern, array, code, instruction, found);
  if (code.arrayField != trace::kNone) {
    addressMembers(wave, pattern, array, array.fields[code.arrayField], found.addresses);
    finder_.find(found.addresses, pattern.mask, instruction.offset, instruction.bytes, found.lines);
  } else if (instruction.movedLines != 0) {
    for (unsigned l = 0; l < found.lines.count; ++l)
      found.lines.line[l] += static_cast<std::uint64_t>(instruction.movedLines);
  } else if (!instruction.sameSectors && !findAffine(pattern, array, instruction, found)) {
    if (instruction.part != found.part)
      addressLanes(wave, pattern, array, instruction.part, found);
    finder_.find(found.addresses, pattern.mask, instruction.offset, instruction.bytes, found.lines);
  }
  if (instruction.atomic) {
    if (code.arrayField == trace::kNone)
      addressLanes(wave, pattern, array, instruction.part, found);
    countSectorsOfAtomic(instruction, pattern.mask, finder_.tagBanks(), found);
  }
}

} // namespace relayout::analysis
