// SPDX-License-Identifier: Apache-2.0
// Policy replay: arrays that one kernel walks alike, whose order pays only together.
#include "relayout/analysis/report/replay_plan.h"
#include "relayout/analysis/report/replay_report.h"
#include "replay_evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace relayout::analysis {
namespace {

using testing::HasSubstr;
using testing::Not;
using Warp = SyntheticProgram::Warp;

/// Systems of 64 unknowns, one behind the other in each of so many arrays; a thread walks through
/// one system, in all arrays at once. One more array is read side by side.
SyntheticProgram batchOfSystems(std::uint32_t arrays, std::uint32_t systems = 1u << 15) {
  constexpr std::uint64_t kUnknowns = 64;
  SyntheticProgram program;
  std::vector<std::uint32_t> numbers;
  std::vector<trace::Index> sites;
  for (std::uint32_t a = 0; a <= arrays; ++a) {
    sites.push_back(program.site(program.floats({"value"}), 0));
    numbers.push_back(program.array(systems * kUnknowns, 4));
    program.trace().allocations.back().extents = {{"n", kUnknowns}};
  }
  program.kernel("solve", systems, kManyLaunches, [=](Warp &warp) {
    for (std::uint64_t i = 0; i < kUnknowns; ++i)
      for (std::uint32_t a = 0; a < arrays; ++a)
        warp.touch(sites[a], numbers[a],
                   [&](unsigned lane) { return warp.thread(lane) * kUnknowns + i; });
    warp.touch(sites[arrays], numbers[arrays], [&](unsigned lane) { return warp.thread(lane); });
  });
  return program;
}

TEST(JointOrders, ArraysThatAKernelWalksAlikeChangeTogether) {
  const SyntheticProgram program = batchOfSystems(4);
  const ReplayAnalysis analysis = analyze(program);
  ASSERT_EQ(analysis.groups.size(), 5u);
  for (std::size_t a = 0; a < 4; ++a) {
    const GroupReplay &group = analysis.groups[a];
    EXPECT_EQ(group.verdict, Verdict::GainsTogether) << reasonOf(analysis, group);
    EXPECT_EQ(describe(group.decision.layout.order),
              describe(analysis.groups[0].decision.layout.order));
    EXPECT_EQ(group.joint.groups.size(), 4u);
    EXPECT_LE(group.best.totalNs(), group.source.totalNs()) << "beside the others as chosen";
  }
  EXPECT_TRUE(analysis.groups[4].decision.keep);
}

TEST(JointOrders, TheReasonNamesTheOthersAndTheGainOfAll) {
  const SyntheticProgram program = batchOfSystems(4);
  const ReplayAnalysis analysis = analyze(program);
  const GroupReplay &group = analysis.groups[0];
  EXPECT_GT(group.joint.sourceNs / group.joint.totalNs, 2);
  EXPECT_THAT(reasonOf(analysis, group),
              HasSubstr("together with 'main::Record1', 'main::Record2'"));
}

TEST(JointOrders, HaveLowConfidenceWhereTheSizeIsNotKnown) {
  SyntheticProgram program = batchOfSystems(5, 1u << 11);
  program.trace().machine.kind = "cpu";
  const auto reasonsOf = [](const ReplayAnalysis &analysis) {
    return describe(analysis.groups[0].decision.lowConfidence);
  };
  EXPECT_THAT(reasonsOf(analyze(program)), HasSubstr("where 'solve' has few warps an SM"));
  ReplayOptions known;
  known.scale.elements = 1;
  EXPECT_THAT(reasonsOf(analyze(program, known)), Not(HasSubstr("another order")));
}

TEST(JointOrders, OneArrayIsDecidedByItself) {
  const SyntheticProgram program = batchOfSystems(1);
  const ReplayAnalysis analysis = analyze(program);
  EXPECT_EQ(analysis.groups[0].verdict, Verdict::PredictedGain);
}

} // namespace
} // namespace relayout::analysis
