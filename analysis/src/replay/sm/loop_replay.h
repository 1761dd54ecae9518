// SPDX-License-Identifier: Apache-2.0
// Policy replay: the machine code of a loop in which the lanes of a warp read the same elements,
// one after the other, on one SM.
#pragma once

#include "relayout/analysis/compiler_model/machine_code.h"
#include "relayout/analysis/gpu/machine.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// Warps that walk through arrays from their first element on.
struct MachineWalk {
  const MachineLoop *loop = nullptr;
  double iterations = 0; ///< of the machine code's loop, of one warp
  /// By base of MachineInstruction: how many bytes further its loads are in the next iteration.
  std::vector<std::uint64_t> advance;
  bool doesConditionalLoads = true;
  double bytes = 0;  ///< that a warp walks through, from the first element to the last
  double passes = 1; ///< through these
  std::uint64_t l1Bytes = 0;
  std::uint32_t warpsOfABlock = 1;
  std::uint32_t residentBlocks = 1;
  double blocks = 1; ///< of a launch, for one SM
};

struct WalkTime {
  double ns = 0;     ///< of the SM, for all of its blocks
  double issued = 0; ///< part of the issue slots that are used
};

/// Each scheduler issues from the oldest of its warps that can go on, as measured: on an H200 the
/// oldest blocks of such loops end first. A sector of an array is fetched from L2 once, and all
/// warps that come by wait for it, until L1 has evicted it. A walk that L1 holds finds all of it
/// there when it begins again.
[[nodiscard]] WalkTime replayWalk(const MachineWalk &walk, const Machine &machine);

} // namespace relayout::analysis
