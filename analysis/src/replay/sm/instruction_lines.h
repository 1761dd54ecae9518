// SPDX-License-Identifier: Apache-2.0
// Policy replay: from an instruction of a bundle to the lines that its lanes touch.
#pragma once

#include "replay/memory/line_finder.h"
#include "replay/sm/instructions.h"

namespace relayout::analysis {

/// What the instructions of one bundle leave to the next: most differ little from the one before.
struct BundleLines {
  Lines lines; ///< of the instruction found last
  LaneAddresses addresses{};
  std::uint32_t part = kNoPart; ///< the addresses are those of its elements

  static constexpr std::uint32_t kNoPart = ~0u;
};

class InstructionLines {
public:
  explicit InstructionLines(const TagBanks &tagBanks) : finder_(tagBanks) {}

  /// Of an array in shared memory no lines, but wavefronts.
  /// \param index  of the instruction in the bundle's code; in a bundle they come in order
  /// \param found  with part = kNoPart before the first one
  void find(const Wave &wave, const LanePattern &pattern, const PlacedArray &array,
            const CompiledSet &code, std::size_t index, BundleLines &found);

private:
  static void findShared(const Wave &wave, const LanePattern &pattern, const PlacedArray &array,
                         const CompiledSet &code, const Instruction &instruction,
                         BundleLines &found);
  bool findAffine(const LanePattern &pattern, const PlacedArray &array,
                  const Instruction &instruction, BundleLines &found);

  LineFinder finder_;
};

} // namespace relayout::analysis
