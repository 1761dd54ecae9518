// SPDX-License-Identifier: Apache-2.0
// The compiler model: the time of a warp alone, by machine code.
#include "relayout/analysis/compiler_model/lone_warp.h"
#include "replay_machine.h"

#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

using Kind = MachineInstruction::Kind;

MachineInstruction loads(std::uint8_t scoreboard) {
  MachineInstruction load;
  load.kind = Kind::GlobalLoad;
  load.pause = 1;
  load.countsResult = scoreboard;
  return load;
}

MachineInstruction uses(std::uint8_t scoreboards) {
  MachineInstruction use;
  use.pause = 4;
  use.waits = scoreboards;
  return use;
}

double cycles(std::vector<MachineInstruction> code,
              std::vector<std::pair<std::size_t, std::size_t>> loops = {}) {
  MachineKernel kernel;
  kernel.code = std::move(code);
  kernel.loops = std::move(loops);
  return loneWarpCycles(kernel, h100());
}

TEST(LoneWarp, LoadsThatAreWaitedForTogetherTakeAsLongAsOne) {
  const double one = cycles({loads(0), uses(1)});
  const double together = cycles({loads(0), loads(1), uses(3), uses(0)});
  const double apart = cycles({loads(0), uses(1), loads(0), uses(1)});
  EXPECT_NEAR(together, one + 5, 1);
  EXPECT_NEAR(apart, 2 * one, 1);
}

TEST(LoneWarp, InnerLoopsCountByTheirIterations) {
  const double straight = cycles({uses(0), uses(0), uses(0)});
  const double once = cycles({uses(0), uses(0), uses(0)}, {{1, 1}});
  const double nested = cycles({uses(0), uses(0), uses(0)}, {{0, 2}, {1, 1}});
  EXPECT_EQ(straight, 12);
  EXPECT_EQ(once, 4 + 50 * 4 + 4);
  EXPECT_EQ(nested, 50 * once);
}

TEST(LoneWarp, WhatIsJumpedOverIsNotExecuted) {
  MachineKernel kernel;
  kernel.code = {uses(0), uses(0), uses(0), uses(0)};
  kernel.jumps = {{0, 2}};
  kernel.ends = {2};
  EXPECT_EQ(loneWarpCycles(kernel, h100()), 8) << "the first and the third, which ends it";
}

} // namespace
} // namespace relayout::analysis
