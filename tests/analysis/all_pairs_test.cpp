// SPDX-License-Identifier: Apache-2.0
// Policy replay: kernels in which every thread looks at all elements, extrapolated from a small
// run.
#include "replay/stream/all_pairs.h"

#include "relayout/analysis/replay/replay.h"
#include "relayout/analysis/replay/stream/footprint.h"
#include "replay_cases.h"
#include "replay_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace relayout::analysis {
namespace {

using Warp = SyntheticProgram::Warp;

constexpr std::uint32_t kPairThreads = 512;

struct Bodies {
  SyntheticProgram program;
  trace::Index own, other; ///< sites
};

/// A thread an element, which reads its own one and then the first `visited` ones.
Bodies bodies(std::uint64_t elements, std::uint64_t visited) {
  Bodies result;
  SyntheticProgram &program = result.program;
  const trace::Index body = program.floats({"x", "y", "z", "vx", "vy", "vz"});
  const std::uint32_t all = program.array(elements, 24);
  const trace::Index own = result.own = program.site(body, 0);
  const trace::Index other = result.other = program.site(body, 0);
  program.kernel("pull", kPairThreads, 64, [=](Warp &warp) {
    warp.touch(own, all, [&](unsigned lane) { return warp.thread(lane) % elements; });
    for (std::uint64_t j = 0; j < visited; ++j)
      warp.touch(other, all, [&](unsigned) { return j; });
  });
  program.trace().machine.kind = "cpu";
  program.trace().command = "./program 512";
  return result;
}

ReplaySample extrapolated(const SyntheticProgram &program) {
  return collectSample(program.trace(), program.source(), h100(),
                       {.run = runScale(program.trace(), h100(), {})})
      .value();
}

TEST(AllPairs, WhatIsDoneForEachPairGrowsWithTheSquare) {
  const Bodies made = bodies(kPairThreads, kPairThreads);
  const AllPairs pairs = allPairsOf(made.program.trace(), extrapolated(made.program), h100());
  EXPECT_EQ(pairs.mostElements, 16.0 * 32 * h100().sms / kPairThreads) << "16 warps an SM";
  ASSERT_TRUE(pairs.law.kernels.contains("pull"));
  const KernelLaw &law = pairs.law.kernels.at("pull");
  EXPECT_EQ(law.accesses.at(made.other), 2);
  EXPECT_EQ(law.accesses.at(made.own), 1);
  EXPECT_EQ(law.arithmetic, 2);
}

TEST(AllPairs, ATableIsNotAllElements) {
  EXPECT_TRUE(allPairsOf(bodies(kPairThreads, 64).program.trace(),
                         extrapolated(bodies(kPairThreads, 64).program), h100())
                  .law.kernels.empty());
  EXPECT_TRUE(
      allPairsOf(bodies(64, 64).program.trace(), extrapolated(bodies(64, 64).program), h100())
          .law.kernels.empty())
      << "of far more threads";
}

/// The elements that all lanes read together, in one of the sizes.
std::pair<std::uint64_t, std::uint64_t> steppedThrough(const SizedSample &size) {
  std::uint64_t first = ~std::uint64_t{0}, last = 0;
  for (const KernelSample &kernel : size.sample.kernels)
    for (const Wave &wave : kernel.waves)
      for (const WarpRun &run : wave.warps)
        for (const Bundle &bundle : run.bundles)
          if (bundle.pattern.stride == 0) {
            first = std::min<std::uint64_t>(first, bundle.pattern.base);
            last = std::max<std::uint64_t>(last, bundle.pattern.base);
          }
  return {first, last};
}

TEST(AllPairs, OfALargerRunAWarpStepsThroughElementsThatItsSmDoesNotHave) {
  const Bodies made = bodies(kPairThreads, kPairThreads);
  const trace::Trace &trace = made.program.trace();
  ReplaySample sample = extrapolated(made.program);
  const AllPairs pairs = allPairsOf(trace, sample, h100());
  sample = rescaled(trace, sample, h100(), withLaw(sample.run, pairs.law));
  for (const SizedSample &size : sizesOf(trace, sample, h100())) {
    const std::uint64_t first = size.footprint == Footprint::Traced ? 0 : kPairThreads;
    EXPECT_THAT(steppedThrough(size), testing::Pair(first, first + kPairThreads - 1))
        << footprintName(size.footprint);
  }
}

TEST(AllPairs, MayHaveAsManyElementsAsFillTheGpuWhereTheirNumberIsGuessed) {
  const Bodies made = bodies(kPairThreads, kPairThreads);
  const trace::TraceHandle handle{made.program.trace(), made.program.source()};
  const auto analysis = analyzeReplay(handle, h100());
  ASSERT_TRUE(analysis) << analysis.error().text;
  const RunScale &run = analysis->sample.run;
  EXPECT_GT(run.elementsThatFill, run.elements);
  const auto isFilled = [](const SizedSample &size) { return size.footprint == Footprint::Filled; };
  const std::vector<SizedSample> sizes = sizesOf(made.program.trace(), analysis->sample, h100());
  const auto filled = std::ranges::find_if(sizes, isFilled);
  ASSERT_NE(filled, sizes.end());
  const KernelScale &scale = filled->sample.kernels.front().scale;
  EXPECT_EQ(scale.blocksOfAnSm(h100()), scale.residentBlocks);

  ReplayOptions asked;
  asked.scale.elements = 64;
  const auto known = analyzeReplay(handle, h100(), asked);
  ASSERT_TRUE(known) << known.error().text;
  EXPECT_TRUE(std::ranges::none_of(sizesOf(made.program.trace(), known->sample, h100()), isFilled));
}

} // namespace
} // namespace relayout::analysis
