// SPDX-License-Identifier: Apache-2.0
// Policy replay: two sizes of a program show with which power of the elements it grows.
#include "relayout/analysis/replay/replay.h"
#include "relayout/analysis/report/replay_report.h"
#include "replay_cases.h"
#include "replay_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace relayout::analysis {
namespace {

using Warp = SyntheticProgram::Warp;

constexpr std::uint64_t kSmall = 1u << 12;
constexpr std::uint64_t kLarge = 8 * kSmall;

/// A program of `n` elements, launched twice as often if it is large.
///   pairs   each thread reads all elements, 8 for each of `all`
///   table   lanes gather from a table that does not grow with the array
///   window  lanes gather from a window of the array as large as a plane of a cube
///   few     one block, whatever the size
SyntheticProgram ofSize(std::uint64_t n) {
  SyntheticProgram program;
  const trace::Index record = program.floats({"a", "b", "c", "d", "e", "f", "g", "h"});
  const std::uint32_t array = program.array(n, 32);
  std::vector<trace::Index> sites;
  for (trace::Index f = 0; f < 8; ++f)
    sites.push_back(program.site(record, f));
  const auto threads = static_cast<std::uint32_t>(n);
  const auto plane = static_cast<std::uint64_t>(std::round(std::pow(n, 2. / 3)));
  const auto reading = [&](const std::string &name, std::uint32_t ofThreads, std::uint64_t times,
                           std::function<std::uint64_t(std::uint64_t, std::uint64_t)> element) {
    program.kernel(name, ofThreads, 4, [=](Warp &warp) {
      for (std::uint64_t step = 0; step < times; ++step)
        for (const trace::Index site : sites)
          warp.touch(site, array,
                     [&](unsigned lane) { return element(warp.thread(lane), step) % n; });
    });
  };
  const auto hash = [](std::uint64_t x) { return benchHash(static_cast<std::uint32_t>(x)); };
  reading("pairs", threads, n / 256, [](std::uint64_t, std::uint64_t step) { return step; });
  reading("table", threads, 4, [hash](std::uint64_t thread, std::uint64_t step) {
    return hash(thread * 8 + step) % 900;
  });
  reading("window", threads, 4, [=](std::uint64_t thread, std::uint64_t step) {
    return thread + hash(thread * 8 + step) % plane;
  });
  reading("few", 256, 4, [](std::uint64_t thread, std::uint64_t) { return thread; });
  program.trace().machine.kind = "cpu";
  program.trace().command = "./program 1000";
  return program;
}

ReplaySample sampleOf(const SyntheticProgram &program, const RunScale &run = {}) {
  return collectSample(program.trace(), program.source(), h100(), {.run = run}).value();
}

GrowthLaw learned() {
  const SyntheticProgram small = ofSize(kSmall);
  const SyntheticProgram large = ofSize(kLarge);
  return growthOf(small.trace(), sampleOf(small), large.trace(), sampleOf(large)).value();
}

double powerOfAccesses(const KernelLaw &law) {
  EXPECT_FALSE(law.accesses.empty());
  return std::ranges::max_element(law.accesses, {}, [](const auto &site) { return site.second; })
      ->second;
}

double powerOfGaps(const KernelLaw &law) {
  EXPECT_FALSE(law.apart.empty());
  return std::ranges::max_element(law.apart, {}, [](const auto &set) { return set.second; })
      ->second;
}

TEST(Growth, AccessesOfPairsGrowWithTheSquare) {
  const GrowthLaw law = learned();
  EXPECT_NEAR(law.elements, 8, 0.01);
  EXPECT_EQ(powerOfAccesses(law.kernels.at("pairs")), 2);
  EXPECT_EQ(law.kernels.at("pairs").blocks, 1);
  EXPECT_EQ(powerOfAccesses(law.kernels.at("table")), 1);
  EXPECT_EQ(powerOfAccesses(law.kernels.at("few")), 0);
  EXPECT_EQ(law.kernels.at("few").blocks, 0);
  for (const auto &[name, kernel] : law.kernels)
    EXPECT_EQ(kernel.launches, 0) << name;
}

TEST(Growth, WhatCrossesRowsIsNotSpread) {
  // Cells of a cube that read the next cell and the one above: warps cross its rows.
  const auto cube = [](std::uint64_t edge) {
    SyntheticProgram program;
    const trace::Index record = program.floats({"a", "b"});
    const std::uint64_t cells = edge * edge * edge;
    const std::uint32_t array = program.array(cells, 8);
    const trace::Index site = program.site(record, 0);
    program.kernel("cells", static_cast<std::uint32_t>(cells), 1, [=](Warp &warp) {
      warp.touch(site, array, [&](unsigned lane) {
        const std::uint64_t cell = warp.thread(lane);
        return cell % edge + 1 == edge ? cell - edge + 1 : cell + 1;
      });
    });
    return program;
  };
  const SyntheticProgram small = cube(24);
  const SyntheticProgram large = cube(48);
  const GrowthLaw law =
      growthOf(small.trace(), sampleOf(small), large.trace(), sampleOf(large)).value();
  EXPECT_EQ(powerOfGaps(law.kernels.at("cells")), 0);
}

TEST(Growth, ATableStaysAndAWindowGrowsAsAPlane) {
  const GrowthLaw law = learned();
  EXPECT_EQ(powerOfGaps(law.kernels.at("table")), 0);
  EXPECT_NEAR(powerOfGaps(law.kernels.at("window")), 2. / 3, 0.01);
}

TEST(Growth, ElementsAreThoseOfRecordsAndNotOfTables) {
  SyntheticProgram small = ofSize(kSmall);
  SyntheticProgram large = ofSize(kLarge);
  for (SyntheticProgram *program : {&small, &large})
    program->array(1u << 20, 4); // a picture, which no record has anything to do with
  EXPECT_NEAR(elementsGrowth(small.trace(), sampleOf(small), large.trace(), sampleOf(large)), 8,
              0.01);
}

TEST(Growth, WhatIsLaunchedOnceARunIsNotPartOfAStep) {
  SyntheticProgram small = ofSize(kSmall);
  SyntheticProgram large = ofSize(kLarge);
  for (trace::Trace *trace : {&small.trace(), &large.trace()}) {
    auto &launches = trace->launches; // "few" is launched once
    launches.resize(launches.size() - 3);
  }
  const auto learn = [&] {
    return growthOf(small.trace(), sampleOf(small), large.trace(), sampleOf(large)).value();
  };
  EXPECT_EQ(learn().kernels.at("few").launches, 0);
  EXPECT_EQ(learn().kernels.at("few").launchesBySteps, 1) << "nothing else is known";
  auto &launches = large.trace().launches; // twice as many of all others
  const std::vector<trace::Launch> steps(launches.begin(), launches.end() - 1);
  launches.insert(launches.end(), steps.begin(), steps.end());
  EXPECT_EQ(learn().kernels.at("few").launchesBySteps, 0);
  EXPECT_EQ(learn().kernels.at("pairs").launchesBySteps, 1);
}

TEST(Growth, IsReported) {
  const SyntheticProgram small = ofSize(kSmall);
  const SyntheticProgram large = ofSize(kLarge);
  ReplayOptions options;
  options.otherRun = trace::TraceHandle(large.trace(), large.source());
  const ReplayAnalysis analysis =
      analyzeReplay({small.trace(), small.source()}, h100(), options).value();
  const std::string text = renderReplayReport(analysis);
  EXPECT_THAT(text, testing::HasSubstr("'few' accesses 0,"));
  EXPECT_THAT(text, testing::HasSubstr("'pairs' accesses 2, blocks 1"));
  EXPECT_THAT(replayReportJson(analysis), testing::HasSubstr("\"timesTheElements\": 8.0"));
}

TEST(Growth, RunsOfOneSizeShowNoLaw) {
  const SyntheticProgram small = ofSize(kSmall);
  EXPECT_FALSE(growthOf(small.trace(), sampleOf(small), small.trace(), sampleOf(small)));
}

TEST(Growth, BothRunsPredictTheSameCounts) {
  const SyntheticProgram small = ofSize(kSmall);
  const SyntheticProgram large = ofSize(kLarge);
  const GrowthLaw law = learned();
  const RunScale asked{.elements = 64, .launches = 3};
  const ReplaySample fromSmall = sampleOf(small, withLaw(asked, law));
  const ReplaySample fromLarge = sampleOf(
      large, withLaw(otherRunScale(small.trace(), asked, large.trace(), law.elements), law));
  ASSERT_EQ(fromSmall.kernels.size(), fromLarge.kernels.size());
  for (std::size_t k = 0; k < fromSmall.kernels.size(); ++k) {
    const KernelScale &one = fromSmall.kernels[k].scale;
    const KernelScale &two = fromLarge.kernels[k].scale;
    EXPECT_NEAR(one.blocksPerLaunch / two.blocksPerLaunch, 1, 0.01);
    EXPECT_NEAR(one.launches / two.launches, 1, 0.01);
  }
  EXPECT_EQ(fromSmall.kernels[3].scale.blocksPerLaunch, 1) << "one block at any size";
}

TEST(Growth, WhatGathersIsSpreadByItsLaw) {
  const SyntheticProgram small = ofSize(kSmall);
  const RunScale asked = withLaw({.elements = 64}, learned());
  const ReplaySample sample = sampleOf(small, asked);
  const std::vector<SizedSample> sizes = sizesOf(small.trace(), sample, h100());
  const auto last = [&](const ReplaySample &of, std::size_t kernel) {
    std::uint64_t last = 0;
    for (const Wave &wave : of.kernels[kernel].waves)
      for (const WarpRun &run : wave.warps)
        for (const Bundle &bundle : run.bundles)
          last = std::max(last, bundle.pattern.base);
    return last;
  };
  EXPECT_EQ(last(sizes[0].sample, 1), last(sample, 1)) << "the table is as large at any size";
  EXPECT_GT(last(sizes[0].sample, 2), 8 * last(sample, 2)) << "the window is 16 times as large";
  EXPECT_LT(last(sizes[0].sample, 2), 32 * last(sample, 2));
  for (const SizedSample &size : sizes)
    EXPECT_NE(size.footprint, Footprint::Spread) << "nothing is left to guess";
}

} // namespace
} // namespace relayout::analysis
