// SPDX-License-Identifier: Apache-2.0
// Policy replay: the machine instructions that a bundle becomes under a layout.
#pragma once

#include "relayout/analysis/compiler_model/nvcc13.h"
#include "relayout/analysis/replay/memory/placed_array.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

struct Instruction {
  std::uint32_t part = 0; ///< of the placed array
  std::uint32_t offset = 0;
  std::uint32_t bytes = 0;     ///< a lane
  std::uint32_t usedBytes = 0; ///< of these, wanted
  bool store = false;
  bool atomic = false;  ///< a store that is one
  bool partial = false; ///< a store that leaves bytes of its part as they were
  bool apart = false;   ///< a store with other accesses between it and the one before
  /// Touches the very sectors that the instruction before touched.
  bool sameSectors = false;
  /// Touches the lines of the instruction before, so many further on: planes of fields of one size.
  std::int64_t movedLines = 0;
  std::uint32_t storesOfPart = 0; ///< stores to this part in the bundle
};

struct CompiledSet {
  std::vector<Instruction> instructions;
  nvcc13::Placing placing;      ///< of the bundle's elements
  std::uint32_t others = 0;     ///< other instructions a bundle: addresses, a use of each value
  std::uint32_t uses = 0;       ///< of these, uses of values
  std::uint32_t array = 0;      ///< into WarpStream::arrays
  std::uint32_t registers = 0;  ///< of 4 bytes, for the values a lane reads
  std::uint32_t lateStalls = 0; ///< for loads that cannot start with the others
  bool stores = false;
  std::uint32_t arrayField = trace::kNone; ///< see AccessSet
};

/// \param leaves  of the array's record; null: the array has no group
[[nodiscard]] CompiledSet compile(const AccessSet &set, const PlacedArray &array,
                                  const RecordLeaves *leaves);

} // namespace relayout::analysis
