// SPDX-License-Identifier: Apache-2.0
// Vectorises a bundle's accesses as nvcc does, and counts the instructions around them.
#include "replay/sm/instructions.h"

#include "relayout/analysis/compiler_model/nvcc13.h"
#include "relayout/analysis/gpu/geometry.h"

#include "relayout/analysis/gpu/machine.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <set>
#include <tuple>
#include <utility>

namespace relayout::analysis {
namespace {

/// A piece of a part that one instruction takes at the least.
struct Unit {
  std::uint32_t part = 0;
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;
  std::uint32_t widest = 0; ///< bytes of the widest vector access that may start with it

  auto operator<=>(const Unit &) const = default;
};

std::vector<Unit> unitsOf(const PlacedArray &array, const RecordLeaves &leaves,
                          std::uint64_t mask) {
  std::vector<Unit> units;
  for (std::uint64_t left = mask; left != 0; left &= left - 1) {
    const Leaf &leaf = leaves.leaves[static_cast<unsigned>(std::countr_zero(left))];
    const PlacedArray::FieldPlace &field = array.fields[leaf.field];
    const std::uint32_t unit = std::min({field.alignment, field.bytes, kWidestAccessBytes});
    const PlacedArray::Part &part = array.parts[field.part];
    // An alignment that was only declared does not reach the elements of an array member, as they
    // are accessed through a pointer. Measured: samples/hpcg reads pairs of columns at once where
    // the record has doubles, and no more when it is aligned to 16; samples/cfd as well.
    std::uint32_t widest = part.alignment;
    if (field.isArray && field.partStep == 0) {
      widest = part.natural;
      while (widest > unit && field.offset % widest != 0)
        widest /= 2;
    }
    for (std::uint32_t k = leaf.element; k < leaf.element + leaf.elements; ++k)
      for (std::uint32_t at = 0; at < field.bytes; at += unit)
        units.push_back({field.part + k * field.partStep, field.offset + k * field.offsetStep + at,
                         unit, widest});
  }
  std::ranges::sort(units);
  return units;
}

/// Instructions for one kind of access to a set of leaves: adjacent ones of equal size become
/// one vector access as far as the part's alignment allows, as nvcc does it.
void addAccesses(const PlacedArray &array, const std::vector<Unit> &units, bool store,
                 std::vector<Instruction> &out) {
  for (std::size_t first = 0; first < units.size();) {
    const std::uint32_t part = units[first].part;
    std::size_t last = first;
    std::uint32_t covered = 0;
    for (; last < units.size() && units[last].part == part; ++last)
      covered += units[last].bytes;
    const PlacedArray::Part &at = array.parts[part];
    const bool sectorsFixed = at.bytes % kSectorBytes == 0 && at.start % kSectorBytes == 0 &&
                              array.blockBytes % kSectorBytes == 0;
    const std::size_t begin = out.size();
    for (std::size_t i = first; i < last;) {
      std::size_t taken = 1;
      std::uint32_t bytes = units[i].bytes;
      for (const std::uint32_t wide : nvcc13::kVectorBytes) {
        if (wide <= bytes || wide > units[i].widest || units[i].offset % wide != 0)
          continue;
        // Units within the vector access.
        std::size_t end = i;
        std::uint32_t wanted = 0;
        while (end < last && units[end].bytes == units[i].bytes && units[end].widest >= wide &&
               units[end].offset + units[end].bytes <= units[i].offset + wide) {
          wanted += units[end++].bytes;
        }
        const bool isNearlyAll = !store && nvcc13::isNearlyFourWords(units[i].bytes, wanted);
        if (wanted == wide || isNearlyAll) {
          taken = end - i;
          bytes = wide;
          break;
        }
      }
      Instruction instruction;
      instruction.part = part;
      instruction.offset = units[i].offset;
      instruction.bytes = bytes;
      for (std::size_t k = i; k < i + taken; ++k)
        instruction.usedBytes += units[k].bytes;
      instruction.store = store;
      instruction.partial = store && covered < at.bytes;
      instruction.sameSectors =
          out.size() > begin && sectorsFixed &&
          out.back().offset / kSectorBytes == instruction.offset / kSectorBytes &&
          out.back().bytes == bytes;
      out.push_back(instruction);
      i += taken;
    }
    for (std::size_t i = begin; i < out.size(); ++i)
      out[i].storesOfPart = static_cast<std::uint32_t>(out.size() - begin);
    first = last;
  }
}

/// Marks instructions whose lines are those of the one before, moved.
void findMoved(const PlacedArray &array, std::vector<Instruction> &instructions) {
  for (std::size_t i = 1; i < instructions.size(); ++i) {
    const Instruction &before = instructions[i - 1];
    Instruction &instruction = instructions[i];
    const PlacedArray::Part &from = array.parts[before.part];
    const PlacedArray::Part &to = array.parts[instruction.part];
    const auto moved = static_cast<std::int64_t>(to.start - from.start);
    if (before.part != instruction.part && before.bytes == instruction.bytes &&
        before.offset == instruction.offset && from.bytes == to.bytes && moved % kLineBytes == 0)
      instruction.movedLines = moved / static_cast<std::int64_t>(kLineBytes);
  }
}

/// Subscripts that are made of coordinates divide nothing in any order, and in most programs all
/// are: an order of several digits costs what the most expensive one does.
nvcc13::Placing placingOf(const PlacedArray &array) {
  using nvcc13::Placing;
  Placing placing = nvcc13::placingInTile(array.tile);
  for (const ElementPlaces::Digit &digit : array.places.digits())
    placing = std::max(placing, nvcc13::placingOfDigit(digit.extent, digit.isConstant),
                       [](const Placing &a, const Placing &b) { return a.cycles < b.cycles; });
  return placing;
}

/// Waits for parts that are read only after a store to another one, as pointers may alias: one a
/// store that such reads follow. The parts of a tile are in one struct, and known to be apart; so
/// are those of a variable.
std::uint32_t lateStalls(const PlacedArray &array, const RecordLeaves &leaves,
                         const AccessSet &set) {
  if (array.tile != 0 || array.isShared)
    return 0;
  std::set<std::uint32_t> early;
  std::set<std::uint32_t> late;
  for (const Unit &unit : unitsOf(array, leaves, set.reads & ~set.lateReads))
    early.insert(unit.part);
  for (const Unit &unit : unitsOf(array, leaves, set.lateReads))
    if (!early.contains(unit.part))
      late.insert(unit.part);
  return std::min(static_cast<std::uint32_t>(late.size()), set.lateWaits);
}

} // namespace

CompiledSet compile(const AccessSet &set, const PlacedArray &array, const RecordLeaves *leaves) {
  CompiledSet compiled;
  compiled.array = set.array;
  compiled.arrayField = set.arrayField;
  compiled.stores = (set.writes | set.atomics) != 0;
  if (set.bytes != 0) {
    Instruction instruction;
    instruction.bytes = std::clamp(std::bit_floor(set.bytes), kRegisterBytes, kWidestAccessBytes);
    instruction.usedBytes = instruction.bytes;
    instruction.store = set.writes != 0 || set.atomics != 0;
    instruction.atomic = set.atomics != 0;
    instruction.storesOfPart = 1;
    compiled.uses = 1;
    compiled.others = nvcc13::besideAccesses(compiled.uses, 0);
    if (set.arrayField != trace::kNone) {
      const PlacedArray::FieldPlace &field = array.fields[set.arrayField];
      instruction.part = field.part;
      instruction.offset = field.offset;
      instruction.bytes = std::bit_floor(std::clamp(set.bytes, 1u, kWidestAccessBytes));
      instruction.usedBytes = instruction.bytes;
      instruction.partial = instruction.store && field.bytes < array.parts[field.part].bytes;
      compiled.placing = placingOf(array);
      compiled.others += compiled.placing.instructions;
    }
    compiled.instructions.push_back(instruction);
    compiled.registers = set.reads != 0 ? registersFor(instruction.bytes) : 0;
    return compiled;
  }
  std::uint32_t values = 0;
  for (const auto &[mask, store, atomic] :
       {std::tuple(set.reads, false, false), std::tuple(set.writes, true, false),
        std::tuple(set.atomics, true, true)}) {
    const std::vector<Unit> units = unitsOf(array, *leaves, mask);
    const std::size_t before = compiled.instructions.size();
    addAccesses(array, units, store, compiled.instructions);
    for (std::size_t i = before; i < compiled.instructions.size(); ++i)
      compiled.instructions[i].atomic = atomic;
    values += static_cast<std::uint32_t>(std::popcount(mask));
    for (const Unit &unit : units)
      compiled.registers += store ? 0 : registersFor(unit.bytes);
  }
  for (Instruction &instruction : compiled.instructions)
    instruction.apart = instruction.store && set.storesApart;
  findMoved(array, compiled.instructions);
  std::set<std::uint32_t> parts;
  for (const Instruction &instruction : compiled.instructions)
    parts.insert(instruction.part);
  compiled.lateStalls = lateStalls(array, *leaves, set);
  compiled.uses = values;
  compiled.placing = placingOf(array);
  compiled.others = nvcc13::besideAccesses(values, parts.size()) + compiled.placing.instructions;
  return compiled;
}

} // namespace relayout::analysis
