// SPDX-License-Identifier: Apache-2.0
// Policy replay: the machine code of a loop takes what its instructions take and wait for.
#include "replay/sm/loop_replay.h"
#include "replay_machine.h"

#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

using Kind = MachineInstruction::Kind;

/// One whose cycles are its nanoseconds.
Machine simple() {
  Machine machine = h100();
  machine.instructionsPerNsPerSm = 4;
  machine.wavefrontsPerNsPerSm = 1;
  machine.l1LatencyNs = 30;
  machine.l2LatencyNs = 200;
  return machine;
}

MachineInstruction adds() {
  MachineInstruction instruction;
  instruction.kind = Kind::Float;
  instruction.pause = 1;
  return instruction;
}

MachineInstruction loads(std::int32_t offset, std::uint32_t base = 0) {
  MachineInstruction instruction;
  instruction.kind = Kind::GlobalLoad;
  instruction.pause = 1;
  instruction.countsResult = 0;
  instruction.bytes = 4;
  instruction.base = base;
  instruction.offset = offset;
  return instruction;
}

MachineInstruction waits() {
  MachineInstruction instruction = adds();
  instruction.waits = 1;
  return instruction;
}

MachineWalk walkOf(const MachineLoop &loop, double iterations) {
  MachineWalk walk;
  walk.loop = &loop;
  walk.iterations = iterations;
  walk.advance = {32, 32};
  walk.bytes = 32 * iterations;
  walk.l1Bytes = 1 << 20;
  return walk;
}

constexpr double kIterations = 6400;

TEST(LoopReplay, WarpsShareTheSlotsOfTheirScheduler) {
  MachineLoop loop;
  loop.body.assign(10, adds());
  MachineWalk walk = walkOf(loop, kIterations);
  EXPECT_NEAR(replayWalk(walk, simple()).ns, 10 * kIterations, 10);
  walk.warpsOfABlock = 8;
  const WalkTime two = replayWalk(walk, simple());
  EXPECT_NEAR(two.ns, 2 * 10 * kIterations, 20) << "two warps a scheduler";
  EXPECT_NEAR(two.issued, 1, 0.01);
  for (MachineInstruction &instruction : loop.body)
    instruction.pause = 4;
  EXPECT_NEAR(replayWalk(walk, simple()).ns, 4 * 10 * kIterations, 300) << "the pauses hide it";
}

TEST(LoopReplay, AWarpWaitsForWhatItLoads) {
  MachineLoop loop{{loads(0), waits()}};
  MachineWalk walk = walkOf(loop, kIterations);
  EXPECT_NEAR(replayWalk(walk, simple()).ns / kIterations, 231, 1) << "each element is in L2";
  walk.advance = {8, 8};
  EXPECT_NEAR(replayWalk(walk, simple()).ns / kIterations, 31 + 200.0 / 4, 1)
      << "four elements a sector";
  loop.body = {loads(0), loads(0, 1), waits()};
  EXPECT_NEAR(replayWalk(walk, simple()).ns / kIterations, 32 + 200.0 / 4, 1) << "side by side";
  loop.body = {loads(0), waits(), loads(0, 1), waits()};
  EXPECT_NEAR(replayWalk(walk, simple()).ns / kIterations, 2 * (31 + 200.0 / 4), 2)
      << "one after the other";
}

TEST(LoopReplay, WhatOneWarpHasFetchedAllFind) {
  const MachineLoop loop{{loads(0), waits()}};
  MachineWalk walk = walkOf(loop, kIterations);
  walk.warpsOfABlock = 16;
  EXPECT_NEAR(replayWalk(walk, simple()).ns / kIterations, 235, 5) << "all wait for it at once";
  // A second block begins anew.
  walk.blocks = 2;
  EXPECT_LT(replayWalk(walk, simple()).ns / kIterations, 235 + 60) << "and finds all in L1";
  walk.l1Bytes = 1 << 10;
  EXPECT_GT(replayWalk(walk, simple()).ns / kIterations, 2 * 225) << "which is too small";
}

TEST(LoopReplay, WhatL1HoldsIsThereInTheNextPass) {
  const MachineLoop loop{{loads(0), waits()}};
  MachineWalk walk = walkOf(loop, kIterations);
  walk.passes = 4;
  walk.bytes = 32 * kIterations / 4;
  EXPECT_NEAR(replayWalk(walk, simple()).ns / kIterations, (231 + 3 * 31) / 4.0, 1);
  walk.l1Bytes = 1 << 10;
  EXPECT_NEAR(replayWalk(walk, simple()).ns / kIterations, 231, 1) << "which does not hold it";
}

TEST(LoopReplay, BlocksThatDoNotFitComeLater) {
  MachineLoop loop;
  loop.body.assign(10, adds());
  MachineWalk walk = walkOf(loop, kIterations);
  walk.warpsOfABlock = 4;
  walk.residentBlocks = 2;
  walk.blocks = 4;
  const double four = replayWalk(walk, simple()).ns;
  EXPECT_NEAR(four, 4 * 10 * kIterations, 50);
  walk.blocks = 400;
  EXPECT_NEAR(replayWalk(walk, simple()).ns, 100 * four, four);
}

TEST(LoopReplay, BlocksOfOneWarpFollowEachOther) {
  MachineLoop loop;
  loop.body.assign(10, adds());
  MachineWalk walk = walkOf(loop, kIterations);
  walk.residentBlocks = 2;
  walk.blocks = 8;
  EXPECT_NEAR(replayWalk(walk, simple()).ns, 4 * 10 * kIterations, 50) << "on two schedulers";
}

TEST(LoopReplay, SlowPipesAndConditionsCount) {
  MachineLoop loop;
  loop.body.assign(4, adds());
  for (MachineInstruction &instruction : loop.body)
    instruction.kind = Kind::Special;
  MachineWalk walk = walkOf(loop, kIterations);
  walk.warpsOfABlock = 32;
  EXPECT_NEAR(replayWalk(walk, simple()).ns / kIterations, 8 * 4, 1) << "issued to a queue";
  loop.body = {loads(0), waits()};
  loop.body[0].isConditional = true;
  walk.warpsOfABlock = 1;
  walk.doesConditionalLoads = false;
  EXPECT_LT(replayWalk(walk, simple()).ns / kIterations, 3);
}

} // namespace
} // namespace relayout::analysis
