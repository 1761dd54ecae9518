// SPDX-License-Identifier: Apache-2.0
// Policy replay: a small trace of a CPU is decided for at every size that the real run may have.
#include "relayout/analysis/replay/replay.h"
#include "replay/search/known_extents.h"
#include "replay/search/ranking.h"
#include "replay_cases.h"
#include "replay_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace relayout::analysis {
namespace {

using Warp = SyntheticProgram::Warp;

constexpr std::uint64_t kSmallArray = 4096; // elements: all of it fits into L1 with some layouts
constexpr std::uint32_t kThreads = 1u << 14;

/// Threads that read all eight fields of a record, of which one is picked by `element`.
SyntheticProgram reading(const std::string &machine,
                         std::function<std::uint64_t(std::uint64_t thread)> element) {
  SyntheticProgram program;
  const trace::Index record = program.floats({"a", "b", "c", "d", "e", "f", "g", "h"});
  const std::uint32_t records = program.array(kSmallArray, 32);
  std::vector<trace::Index> sites;
  for (trace::Index f = 0; f < 8; ++f)
    sites.push_back(program.site(record, f));
  program.kernel("read", kThreads, 200, [=](Warp &warp) {
    for (std::uint64_t step = 0; step < 8; ++step)
      for (const trace::Index site : sites)
        warp.touch(site, records, [&](unsigned lane) -> std::uint64_t {
          return element(warp.thread(lane) * 8 + step) % kSmallArray;
        });
  });
  program.trace().machine.kind = machine;
  program.trace().command = "./program 1000";
  return program;
}

std::uint64_t scattered(std::uint64_t n) { return benchHash(static_cast<std::uint32_t>(n)); }
std::uint64_t inOrder(std::uint64_t n) { return n / 8 + n % 8; }

std::vector<Footprint> footprintsOf(const SyntheticProgram &program) {
  const RunScale run = runScale(program.trace(), h100(), {});
  const ReplaySample sample =
      collectSample(program.trace(), program.source(), h100(), {.run = run}).value();
  std::vector<Footprint> footprints;
  for (const SizedSample &size : sizesOf(program.trace(), sample, h100()))
    footprints.push_back(size.footprint);
  return footprints;
}

/// A candidate that gains so much at each of the sizes.
Candidate gaining(const Layout &layout, const std::vector<double> &ratios) {
  Candidate candidate;
  candidate.layout = layout;
  candidate.kernelNs = 1;
  candidate.error = 0.02;
  const std::vector<Footprint> sizes{Footprint::Asked, Footprint::Spread, Footprint::Traced};
  for (std::size_t i = 0; i < ratios.size(); ++i)
    candidate.sizes.push_back({sizes[i], ratios[i], 0.02, ratios[i]});
  return candidate;
}

TEST(Footprints, AGpusTraceIsOfTheRealSize) {
  EXPECT_THAT(footprintsOf(reading("gpu", scattered)), testing::ElementsAre(Footprint::Asked));
}

TEST(Footprints, OfASmallTraceTheTracedSizeCountsToo) {
  EXPECT_THAT(footprintsOf(reading("cpu", inOrder)),
              testing::ElementsAre(Footprint::Asked, Footprint::Traced));
}

TEST(Footprints, WithoutArgumentsTheTracedRunMayBeTheRealOne) {
  SyntheticProgram program = reading("cpu", inOrder);
  program.trace().command = "./program";
  EXPECT_THAT(footprintsOf(program),
              testing::ElementsAre(Footprint::Asked, Footprint::Itself, Footprint::Traced));
  EXPECT_FALSE(runScale(program.trace(), h100(), {.elements = 4}).tracedMayBeReal)
      << "somebody knows better";
}

TEST(Footprints, ALayoutThatLosesInTheOnlyKnownRunDoesNotHold) {
  Candidate candidate = gaining({}, {0.5});
  const auto holdsAt = [&](double ratio) {
    candidate.sizes.resize(1);
    candidate.sizes.push_back({Footprint::Itself, ratio, 0.02, ratio});
    return holdsAtOtherSizes(candidate);
  };
  candidate.layout.clusters = {{{0}, 0}, {{1}, 0}};
  EXPECT_TRUE(holdsAt(1.01)) << "a short run shows no gain";
  EXPECT_FALSE(holdsAt(1.05)) << "conversions cost more";
  candidate.layout.order = {.extents = {8}, .digits = {1, 0}, .texts = {""}};
  EXPECT_TRUE(holdsAt(0.9));
  EXPECT_FALSE(holdsAt(0.99)) << "an order has to gain";
}

TEST(Footprints, GathersOverAWholeArrayMayReachFurther) {
  EXPECT_THAT(footprintsOf(reading("cpu", scattered)),
              testing::ElementsAre(Footprint::Asked, Footprint::Spread, Footprint::Traced));
}

/// Every thread updates its own eight bytes in rounds, and stores to another array in between, of
/// which a compiler knows that it is another one only where the program says so.
SyntheticProgram inRounds() {
  SyntheticProgram program;
  const trace::Index byte = program.record({{"byte", 1}});
  const trace::Index word = program.floats({"word"});
  const std::uint32_t bytes = program.array(std::uint64_t{kThreads} * 8, 1);
  const std::uint32_t words = program.array(kThreads, 4);
  const trace::Index read = program.site(byte, 0);
  const trace::Index write = program.site(byte, 0, trace::AccessKind::Write);
  const trace::Index other = program.site(word, 0, trace::AccessKind::Write);
  program.kernel("rounds", kThreads, 200, [=](Warp &warp) {
    for (int round = 0; round < 16; ++round)
      for (std::uint64_t k = 0; k < 8; ++k) {
        const auto own = [&](unsigned lane) { return warp.thread(lane) * 8 + k; };
        warp.touch(read, bytes, own);
        warp.touch(other, words, [&](unsigned lane) { return warp.thread(lane); });
        warp.touch(write, bytes, own);
      }
  });
  program.trace().allocations[0].extents = {{"8", 8}};
  program.trace().machine.kind = "cpu";
  program.trace().command = "./program 1000";
  return program;
}

TEST(Footprints, ValuesOfPlainArraysMayStayInRegisters) {
  const SyntheticProgram program = inRounds();
  EXPECT_THAT(footprintsOf(program),
              testing::ElementsAre(Footprint::Asked, Footprint::Kept, Footprint::Traced));
  const ReplaySample sample = collectSample(program.trace(), program.source(), h100(),
                                            {.run = runScale(program.trace(), h100(), {})})
                                  .value();
  const std::vector<SizedSample> sizes = sizesOf(program.trace(), sample, h100());
  const auto bundles = [](const ReplaySample &of) {
    return of.kernels[0].waves[0].warps[0].bundles.size();
  };
  EXPECT_EQ(bundles(sample), 16 * 8 * 3);
  EXPECT_EQ(bundles(sizes[1].sample), 8 * 2 + 1) << "each element is read once and written once";
}

TEST(Footprints, AnOrderMustNotGainByWhatACompilerKeepsInRegisters) {
  const SyntheticProgram program = inRounds();
  const ReplayAnalysis analysis =
      analyzeReplay({program.trace(), program.source()}, h100()).value();
  const GroupReplay &group = analysis.groups[0];
  ASSERT_FALSE(group.best.isSource);
  EXPECT_FALSE(group.best.layout.order.isAsNumbered());
  EXPECT_LT(group.best.sizes.front().ratio, 0.8) << "the order gains if all is read again";
  EXPECT_TRUE(group.decision.keep);
}

TEST(Footprints, ASpreadGatherMissesWhatASmallArrayHits) {
  const SyntheticProgram program = reading("cpu", scattered);
  const ReplaySample sample = collectSample(program.trace(), program.source(), h100(),
                                            {.run = runScale(program.trace(), h100(), {})})
                                  .value();
  const std::vector<SizedSample> sizes = sizesOf(program.trace(), sample, h100());
  const Layout split = soa(layoutFields(program.trace().sites.records[0]));
  const auto ratio = [&](const ReplaySample &of) {
    const auto total = [&](const Layout *layout) {
      return evaluateKernel(program.trace(), of, of.kernels[0], {layout}, h100())->time.totalNs;
    };
    return total(&split) / total(nullptr);
  };
  EXPECT_GT(ratio(sizes[1].sample), 1.5 * ratio(sizes[0].sample));
  EXPECT_GT(ratio(sizes[1].sample), 3);
}

TEST(Footprints, AGatheredRecordIsNeverSplitFromASmallTrace) {
  const SyntheticProgram program = reading("cpu", scattered);
  const ReplayAnalysis analysis =
      analyzeReplay({program.trace(), program.source()}, h100()).value();
  const GroupReplay &group = analysis.groups[0];
  EXPECT_TRUE(group.decision.keep || group.decision.layout.clusters.size() == 1)
      << describe(group.decision.layout, layoutFields(analysis.trace->sites.records[0]));
  for (const SizeOutcome &size : group.best.sizes)
    if (!group.decision.keep)
      EXPECT_LE(size.ratio * (1 - size.error), 1) << footprintName(size.footprint);
}

TEST(Footprints, TilesAreNeverSizesOfASmallTrace) {
  // Rows of 24 elements: the distance at which every warp accesses the array again.
  const auto rows = [](const std::string &machine) {
    const SyntheticProgram program =
        reading(machine, [](std::uint64_t n) { return n / 8 + 24 * (n % 8); });
    std::set<std::uint64_t> tiles;
    const ReplayAnalysis analysis =
        analyzeReplay({program.trace(), program.source()}, h100()).value();
    for (const Candidate &candidate : analysis.groups[0].candidates)
      tiles.insert(candidate.layout.tile);
    return tiles;
  };
  EXPECT_THAT(rows("gpu"), testing::Contains(24));
  EXPECT_THAT(rows("cpu"), testing::IsSubsetOf({0, 32, 64}));
}

/// The decision on one run, beside another one of the same program.
ReplayAnalysis besideOf(const SyntheticProgram &own, const SyntheticProgram &other) {
  ReplayOptions options;
  options.otherRun = trace::TraceHandle(other.trace(), other.source());
  return analyzeReplay({own.trace(), own.source()}, h100(), options).value();
}

TEST(OtherRun, ALayoutHasToGainExtrapolatedFromThatRunAsWell) {
  const SyntheticProgram small = reading("cpu", inOrder);
  // At the next size its lanes are no longer side by side.
  const SyntheticProgram large = reading("cpu", scattered);
  const auto clusters = [](const ReplayAnalysis &analysis) {
    const Decision &decision = analysis.groups[0].decision;
    return decision.keep ? 1 : decision.layout.clusters.size();
  };
  EXPECT_GT(clusters(besideOf(small, small)), 1u);
  const ReplayAnalysis grown = besideOf(small, large);
  EXPECT_EQ(clusters(grown), 1u);
  EXPECT_EQ(clusters(besideOf(large, small)), 1u);
  std::vector<std::string> names;
  for (const SizeOutcome &size : grown.groups[0].source.sizes)
    names.push_back(nameOf(size));
  EXPECT_THAT(names, testing::ElementsAre("extrapolated", "as traced",
                                          "extrapolated, from the run with other arguments",
                                          "gathers spread, from the run with other arguments"));
}

TEST(OtherRun, IsScaledToTheSameSize) {
  const SyntheticProgram small = reading("cpu", inOrder);
  SyntheticProgram large = reading("cpu", inOrder);
  large.trace().launches.resize(large.trace().launches.size() / 2);
  const RunScale other =
      otherRunScale(small.trace(), {.elements = 800, .launches = 3}, large.trace(), 8);
  EXPECT_NEAR(other.elements, 100, 0.01);
  EXPECT_NEAR(other.launches, 6, 0.01);
  EXPECT_FALSE(other.tracedMayBeReal);
}

TEST(OtherRun, HasToBeOfTheSameProgram) {
  const SyntheticProgram own = reading("cpu", inOrder);
  SyntheticProgram other = reading("cpu", inOrder);
  other.trace().sites.sourceDigest = "another";
  ReplayOptions options;
  options.otherRun = trace::TraceHandle(other.trace(), other.source());
  const auto analysis = analyzeReplay({own.trace(), own.source()}, h100(), options);
  ASSERT_FALSE(analysis);
  EXPECT_EQ(analysis.error().code, Code::TraceOfAnotherProgram); // RL-T11
}

TEST(OtherRun, ExtentsHaveOtherValuesThere) {
  SyntheticProgram program = reading("cpu", inOrder);
  program.trace().allocations[0].extents = {{"nx", 64}, {"ny", 48}, {"3", 3}};
  const ReplaySample sample = collectSample(program.trace(), program.source(), h100(), {}).value();
  const KnownExtents known(program.trace(), sample, 0);
  ElementOrder order{
      .extents = {3, 16, 192}, .digits = {1, 0, 2, 3}, .texts = {"", "nx", "nx * ny"}};
  EXPECT_EQ(known.inThisRun(order)->extents, (std::vector<std::uint64_t>{3, 64, 64ull * 48}));
  order.texts[1] = "nz";
  EXPECT_FALSE(known.inThisRun(order));
}

TEST(KnownExtents, OfOneValueTheFirstIsTheName) {
  SyntheticProgram program = reading("cpu", inOrder);
  program.trace().allocations[0].extents = {{"width", 64}, {"16", 16}, {"a", 2},  {"b", 8},
                                            {"rows", 64},  {"c", 6},   {"12", 12}};
  const ReplaySample sample = collectSample(program.trace(), program.source(), h100(), {}).value();
  const KnownExtents known(program.trace(), sample, 0);
  ElementOrder order{.extents = {64, 16, 12, 8}, .digits = {1, 0, 2, 3, 4}, .texts = {}};
  ASSERT_TRUE(known.name(order));
  // A constant in front of both factors is better than their product, one behind them is not.
  EXPECT_EQ(order.texts, (std::vector<std::string>{"width", "", "a * c", "b"}));
  order.extents[0] = 5;
  EXPECT_FALSE(known.name(order));
}

TEST(KnownExtents, OfOneValueTheDigitsOwnIsTheName) {
  SyntheticProgram program = reading("cpu", inOrder);
  program.trace().allocations[0].extents = {{"n", 24}, {"ny", 24, 2}, {"nz", 24, 1}, {"3", 3}};
  const ReplaySample sample = collectSample(program.trace(), program.source(), h100(), {}).value();
  const KnownExtents known(program.trace(), sample, 0);
  ElementOrder order{.extents = {3, 24, 24, 24}, .digits = {1, 0, 2, 3, 4}, .texts = {}};
  ASSERT_TRUE(known.name(order));
  EXPECT_EQ(order.texts, (std::vector<std::string>{"", "nz", "ny", "n"}));
}

// What the run on a GPU shows is good for this run, where its program does not know better.
TEST(KnownExtents, OnAGpuNumbersOfTheRunCountWhereNothingIsNoted) {
  SyntheticProgram program = reading("gpu", inOrder);
  const ReplaySample sample = collectSample(program.trace(), program.source(), h100(), {}).value();
  ElementOrder order{.extents = {24, 32}, .digits = {1, 0, 2}, .texts = {}};
  ASSERT_TRUE(KnownExtents(program.trace(), sample, 0).name(order));
  EXPECT_TRUE(order.texts.empty());
  program.trace().allocations[0].extents = {{"nx", 24}};
  EXPECT_FALSE(KnownExtents(program.trace(), sample, 0).name(order));
  program.trace().allocations[0].extents.push_back({"ny", 32});
  ASSERT_TRUE(KnownExtents(program.trace(), sample, 0).name(order));
  EXPECT_EQ(order.texts, (std::vector<std::string>{"nx", "ny"}));
}

TEST(KnownExtents, RowsOfTheTypeAreConstants) {
  SyntheticProgram program = reading("cpu", inOrder);
  program.trace().allocations[0].extents = {{"32", 32, 1}, {"32", 32, 2}, {"nx", 32, 1}};
  const ReplaySample sample = collectSample(program.trace(), program.source(), h100(), {}).value();
  const KnownExtents known(program.trace(), sample, 0);
  ElementOrder order{.extents = {32, 32, 32}, .digits = {3, 0, 1, 2}, .texts = {}};
  ASSERT_TRUE(known.name(order));
  EXPECT_EQ(order.texts, (std::vector<std::string>{"", "", "nx"}));
}

// 256 rows of a block, of 256 columns each, are not cols by cols unless something names the rest.
TEST(KnownExtents, ANameTwiceIsByChanceUnlessTheRestHasOneToo) {
  SyntheticProgram program = reading("cpu", inOrder);
  program.trace().allocations[0].extents = {{"cols", 256}, {"rows", 512}};
  const ReplaySample sample = collectSample(program.trace(), program.source(), h100(), {}).value();
  const KnownExtents known(program.trace(), sample, 0);
  ElementOrder order{.extents = {256, 256}, .digits = {1, 0, 2}, .texts = {}};
  ASSERT_TRUE(known.name(order));
  EXPECT_EQ(known.coincidences(order, 512ull * 256), 1U);
  EXPECT_EQ(known.coincidences(order, 512ull * 256 * 256), 0U);
  order.extents = {256};
  order.digits = {1, 0};
  ASSERT_TRUE(known.name(order));
  EXPECT_EQ(known.coincidences(order, 300ull * 256), 0U);
}

TEST(Ranking, TilesPadsAndExplosionsHaveToWinAtEverySize) {
  const std::vector<LayoutField> fields{{"a", 4, 4, 1}, {"b", 16, 4, 4}};
  Layout padded = soa(fields);
  padded.padBytes = 128;
  for (const Layout &clever : {aosoa(fields, 32), padded, explodedSoa(fields)}) {
    EXPECT_FALSE(holdsAtOtherSizes(gaining(clever, {0.5, 0.6, 1.0})));
    EXPECT_TRUE(holdsAtOtherSizes(gaining(clever, {0.5, 0.6, 0.9})));
  }
  EXPECT_TRUE(holdsAtOtherSizes(gaining(soa(fields), {0.5, 0.6, 1.0})));
  EXPECT_FALSE(holdsAtOtherSizes(gaining(soa(fields), {0.5, 1.1, 1.0})));
  EXPECT_FALSE(holdsAtOtherSizes(gaining(soa(fields), {0.5, 0.6, 1.2})));
}

TEST(Ranking, OrdersHaveToWinWithValuesKeptInRegisters) {
  const std::vector<LayoutField> fields{{"a", 4, 4, 1}};
  Layout ordered = aos(fields);
  ordered.order = {{8}, {1, 0}};
  for (const double kept : {0.9, 0.99}) {
    Candidate candidate = gaining(ordered, {0.5});
    candidate.sizes.push_back({Footprint::Kept, kept, 0.02, kept});
    EXPECT_EQ(holdsAtOtherSizes(candidate), kept < 0.95);
    candidate.layout = aos(fields);
    EXPECT_TRUE(holdsAtOtherSizes(candidate)) << "registers tell nothing of fields";
  }
}

TEST(Ranking, OneStructMustNotLoseAtTheTracedSize) {
  const std::vector<LayoutField> fields{{"a", 4, 4, 1}, {"b", 4, 4, 1}};
  EXPECT_TRUE(holdsAtOtherSizes(gaining(alignedAos(fields, 16), {0.95, 0.95, 1.005})));
  EXPECT_FALSE(holdsAtOtherSizes(gaining(alignedAos(fields, 16), {0.95, 0.95, 1.02})));
  EXPECT_TRUE(holdsAtOtherSizes(gaining(soa(fields), {0.95, 0.95, 1.02})));
}

TEST(Ranking, WhatMachineCodeTellsHoldsAtTheTracedSize) {
  const std::vector<LayoutField> fields{{"a", 4, 4, 1}, {"b", 4, 4, 1}};
  Candidate candidate = gaining(soa(fields), {0.6, 0.6, 1.06});
  EXPECT_TRUE(holdsAtOtherSizes(candidate));
  for (SizeOutcome &size : candidate.sizes)
    size.isByMachineCode = true;
  EXPECT_FALSE(holdsAtOtherSizes(candidate));
}

TEST(Ranking, RunsThatLaunchesBindJudgeNoRecords) {
  const std::vector<LayoutField> fields{{"a", 4, 4, 1}, {"b", 4, 4, 1}};
  Layout orders = soa(fields);
  orders.order = {{8}, {1, 0}};
  for (const auto &[layout, holds] : {std::pair{aosoa(fields, 32), true}, {orders, false}}) {
    Candidate candidate = gaining(layout, {0.5, 0.5, 2.0});
    EXPECT_FALSE(holdsAtOtherSizes(candidate));
    for (SizeOutcome &size : candidate.sizes)
      size.isLaunchBound = size.footprint == Footprint::Traced;
    EXPECT_EQ(holdsAtOtherSizes(candidate), holds);
  }
}

TEST(Ranking, OfNearEqualsThePlainestIsTaken) {
  const std::vector<LayoutField> fields{{"a", 4, 4, 1}, {"b", 4, 4, 1}, {"c", 4, 4, 1}};
  Layout clusters = soa(fields);
  clusters.clusters = {{{0, 1}, 0, false}, {{2}, 0, false}};
  const std::vector<Candidate> near{gaining(aosoa(fields, 32), {0.50, 0.50, 0.5}),
                                    gaining(clusters, {0.505, 0.505, 0.5}),
                                    gaining(soa(fields), {0.51, 0.51, 0.5})};
  EXPECT_EQ(plainestOfBest(near).layout, soa(fields));
  const std::vector<Candidate> apart{gaining(clusters, {0.40, 0.40, 0.5}),
                                     gaining(soa(fields), {0.51, 0.51, 0.5})};
  EXPECT_EQ(plainestOfBest(apart).layout, clusters);
}

TEST(Ranking, WhatIsFasterHasToBeSoByEachRun) {
  const std::vector<LayoutField> fields{{"a", 4, 4, 1}, {"b", 4, 4, 1}, {"c", 4, 4, 1}};
  Layout clusters = soa(fields);
  clusters.clusters = {{{0, 1}, 0, false}, {{2}, 0, false}};
  const auto with = [](Candidate candidate, double ratio) {
    candidate.sizes.push_back({Footprint::Asked, ratio, 0.02, ratio, true});
    return candidate;
  };
  const Candidate clustered = gaining(clusters, {0.40, 0.40});
  const Candidate split = gaining(soa(fields), {0.405, 0.405});
  EXPECT_EQ(plainestOfBest({with(clustered, 0.4), with(split, 0.6)}).layout, soa(fields));
  EXPECT_EQ(
      plainestOfBest({with(clustered, 0.6), with(gaining(soa(fields), {0.6, 0.6}), 0.605)}).layout,
      soa(fields));
  EXPECT_EQ(
      plainestOfBest({with(clustered, 0.4), with(gaining(soa(fields), {0.5, 0.5}), 0.5)}).layout,
      clusters);
}

TEST(Ranking, ClustersHaveToBeatPlanesByTheErrorOfBoth) {
  const std::vector<LayoutField> fields{{"a", 4, 4, 1}, {"b", 4, 4, 1}, {"c", 4, 4, 1}};
  Layout clusters = soa(fields);
  clusters.clusters = {{{0, 1}, 0, false}, {{2}, 0, false}};
  std::vector<Candidate> candidates{gaining(clusters, {0.456, 0.456, 0.5}),
                                    gaining(soa(fields), {0.522, 0.522, 0.5})};
  for (Candidate &candidate : candidates)
    candidate.error = 0.12;
  EXPECT_EQ(plainestOfBest(candidates).layout, soa(fields));
  Layout padded = clusters;
  padded.padBytes = 128;
  candidates.insert(candidates.begin(), gaining(padded, {0.453, 0.453, 0.5}));
  candidates[0].error = 0.12;
  EXPECT_EQ(plainestOfBest(candidates).layout, soa(fields)) << "whatever else clusters gain by";
  candidates.erase(candidates.begin());
  candidates[1].error = 0.05; // the errors of both together are less than the 14 % between them
  EXPECT_EQ(plainestOfBest(candidates).layout, clusters);
  candidates[1] = gaining(alignedAos(fields, 16), {0.522, 0.522, 0.5}); // has no planes
  candidates[1].error = 0.12;
  EXPECT_EQ(plainestOfBest(candidates).layout, clusters);
}

} // namespace
} // namespace relayout::analysis
