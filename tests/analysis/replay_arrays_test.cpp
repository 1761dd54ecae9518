// SPDX-License-Identifier: Apache-2.0
// Policy replay: array members, element by element, and layouts that explode them.
#include "relayout/analysis/replay/replay.h"
#include "relayout/analysis/report/replay_plan.h"
#include "replay_evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace relayout::analysis {
namespace {

using testing::HasSubstr;
using Warp = SyntheticProgram::Warp;

constexpr std::uint32_t kWidth = 27;

/// struct Row { double value[27]; double diagonal; int column[27]; int unknown; }, each thread one.
struct Rows {
  SyntheticProgram program;
  trace::Index record = 0;
  std::uint32_t rows = 0;
  std::vector<trace::Index> sites;

  Rows(std::uint32_t blockThreads, std::uint64_t elements) : program(blockThreads) {
    record = program.record({{"value", 8}, {"diagonal", 8}, {"column", 4}, {"unknown", 4}});
    program.makeArrays(record, {kWidth, 1, kWidth, 1});
    rows = program.array(elements, program.trace().sites.records[record].bytes);
    for (trace::Index f = 0; f < 4; ++f)
      sites.push_back(program.site(record, f));
  }
};

Rows multiplied(std::uint32_t threads) {
  Rows rows(128, threads);
  rows.program.kernel("multiply", threads, 1000, [=](Warp &warp) {
    const auto own = [&](unsigned lane) { return warp.thread(lane); };
    for (std::uint32_t k = 0; k < kWidth; ++k)
      for (const std::size_t f : {std::size_t{0}, std::size_t{2}})
        warp.touchMember(rows.sites[f], rows.rows, own, [k](unsigned) { return k; });
    warp.touch(rows.sites[3], rows.rows, own);
  });
  return rows;
}

WarpStream streamOf(const SyntheticProgram &program) {
  Result<WarpStream> stream =
      forEachWave(program.trace(), program.source(), {}, [](Wave &&, const WarpStream &) {});
  EXPECT_TRUE(stream.has_value());
  return std::move(*stream);
}

TEST(Leaves, ElementsOfArraysAreLeavesAsFarAsAWordHolds) {
  trace::Record record;
  record.fields = {{"a", "float", "", 0, 4, 4, 1},
                   {"long", "float", "[61]", 4, 244, 4, 61},
                   {"short", "float", "[3]", 248, 12, 4, 3}};
  const RecordLeaves leaves = leavesOf(record);
  ASSERT_EQ(leaves.leaves.size(), 1u + 1 + 3);
  EXPECT_TRUE(leaves.isSplit(2));
  EXPECT_FALSE(leaves.isSplit(1));
  EXPECT_EQ(leaves.leaves[leaves.firstOfField[1]].elements, 61u);
  EXPECT_EQ(leaves.fieldsOf(leaves.all()), 0b111u);
  record.fields.resize(65, {"more", "float", "", 0, 4, 4, 1});
  EXPECT_TRUE(leavesOf(record).leaves.empty());
}

TEST(WarpStream, AnElementOfAnArrayIsOneLeaf) {
  Rows rows(32, 64);
  rows.program.kernel("k", 32, 1, [=](Warp &warp) {
    const auto own = [&](unsigned lane) { return warp.thread(lane); };
    warp.touchMember(rows.sites[0], rows.rows, own, [](unsigned) { return 5u; });
    warp.touchMember(rows.sites[2], rows.rows, own, [](unsigned) { return 1u; });
  });
  const WarpStream stream = streamOf(rows.program);
  ASSERT_EQ(stream.kernels[0].accessSets.size(), 1u);
  const AccessSet &set = stream.kernels[0].accessSets[0];
  EXPECT_EQ(set.reads, std::uint64_t{1} << 5 | std::uint64_t{1} << (kWidth + 1 + 1));
  EXPECT_EQ(set.arrayField, trace::kNone);
}

/// struct Particle { Vec position, velocity; float mass; }
TEST(WarpStream, AScalarOfANestedStructIsOneLeaf) {
  SyntheticProgram program(32);
  const trace::Index record = program.record({{"position", 4}, {"velocity", 4}, {"mass", 4}});
  program.makeArrays(record, {3, 3, 1});
  trace::Record &particle = program.trace().sites.records[record];
  for (trace::Field &field : particle.fields)
    field.parts = std::exchange(field.count, 1);
  const std::uint32_t particles = program.array(64, particle.bytes);
  const trace::Index velocity = program.site(record, 1);
  program.trace().sites.sites[velocity].bytes = 4;
  program.kernel("k", 32, 1, [=](Warp &warp) {
    warp.touchMember(
        velocity, particles, [&](unsigned lane) { return warp.thread(lane); },
        [](unsigned) { return 2u; });
  });
  const WarpStream stream = streamOf(program);
  ASSERT_EQ(stream.kernels[0].accessSets.size(), 1u);
  EXPECT_EQ(stream.kernels[0].accessSets[0].reads, std::uint64_t{1} << (3 + 2));
  // Of a plane of velocities a lane asks for 4 bytes of 12; the struct stays whole.
  const std::vector<LayoutField> fields = layoutFields(particle);
  const Layout planes = explodedSoa(fields);
  EXPECT_EQ(planes, soa(fields));
  EXPECT_EQ(evaluate(program, &planes).volume.readSectors, 32.0 * 12 / kSectorBytes);
  EXPECT_EQ(evaluate(program, nullptr).volume.readSectors, 32.0 * 28 / kSectorBytes);
}

TEST(WarpStream, LanesInDifferentElementsOfAnArrayAreOnePattern) {
  Rows rows(32, 64);
  rows.program.kernel("k", 32, 1, [=](Warp &warp) {
    warp.touchMember(
        rows.sites[0], rows.rows, [](unsigned) { return 3u; },
        [](unsigned lane) { return lane % kWidth; });
  });
  const WarpStream stream = streamOf(rows.program);
  EXPECT_EQ(stream.mapped, 1u);
  ASSERT_EQ(stream.kernels[0].accessSets.size(), 1u);
  EXPECT_EQ(stream.kernels[0].accessSets[0].arrayField, 0u);
  EXPECT_EQ(stream.kernels[0].accessSets[0].bytes, 8u);
  // 27 doubles in a row are 216 bytes: 7 sectors; each in a plane of its own, 27.
  const std::vector<LayoutField> fields = layoutFields(rows.program.trace().sites.records[0]);
  const Layout exploded = explodedSoa(fields);
  EXPECT_EQ(evaluate(rows.program, nullptr).volume.readSectors, 8); // they start within a sector
  EXPECT_EQ(evaluate(rows.program, &exploded).volume.readSectors, kWidth);
}

TEST(Replay, ExplodedArraysAgreeWithSectorsCountedByTheAddressFunction) {
  constexpr std::uint64_t kElements = 4096;
  Rows rows(32, kElements);
  const auto elementOf = [](unsigned lane) -> std::uint64_t { return lane * lane * 3 + lane; };
  rows.program.kernel("k", 32, 1, [=](Warp &warp) {
    for (std::uint32_t k = 0; k < kWidth; ++k)
      warp.touchMember(rows.sites[0], rows.rows, elementOf, [k](unsigned) { return k; });
  });
  const std::vector<LayoutField> fields = layoutFields(rows.program.trace().sites.records[0]);
  Layout tiled = explodedSoa(fields);
  tiled.tile = 48;
  Layout padded = explodedSoa(fields);
  padded.padBytes = 128;
  for (const Layout &layout :
       {aos(fields), soa(fields), explodedSoa(fields), tiled, padded, aosoa(fields, 32)}) {
    const AddressFunction bound = AddressFunction::bind(layout, fields, kElements).value();
    std::uint64_t sectors = 0;
    for (std::uint32_t k = 0; k < kWidth; ++k) {
      std::set<std::uint64_t> distinct;
      for (unsigned lane = 0; lane < 32; ++lane)
        distinct.insert(bound.offset(elementOf(lane), 0, k) / kSectorBytes);
      sectors += distinct.size();
    }
    EXPECT_EQ(evaluate(rows.program, &layout).volume.readSectors, static_cast<double>(sectors))
        << describe(layout, fields);
  }
}

TEST(Policy, ARowOfAMatrixIsTransposedByItself) {
  const Rows rows = multiplied(1u << 21);
  const ReplayAnalysis analysis =
      analyzeReplay({rows.program.trace(), rows.program.source()}, h100()).value();
  const GroupReplay &group = analysis.groups[0];
  ASSERT_FALSE(group.decision.keep) << reasonOf(analysis, group);
  for (const Cluster &cluster : group.decision.layout.clusters)
    EXPECT_EQ(cluster.exploded, cluster.fields[0] == 0 || cluster.fields[0] == 2)
        << describe(group.decision.layout, layoutFields(rows.program.trace().sites.records[0]));
  const Layout whole = soa(layoutFields(rows.program.trace().sites.records[0]));
  const double transposed = evaluate(rows.program, &group.decision.layout).time.totalNs;
  EXPECT_LT(transposed * 1.3, evaluate(rows.program, &whole).time.totalNs);
}

TEST(Policy, ArraysLongerThanAWordAreReplayedToo) {
  SyntheticProgram program;
  const trace::Index record = program.record({{"a", 4}, {"b", 4}});
  program.makeArrays(record, {100, 1});
  const std::uint32_t array = program.array(1 << 20, 404);
  const trace::Index a = program.site(record, 0);
  program.kernel("k", 1 << 20, 1000, [=](Warp &warp) {
    const auto own = [&](unsigned lane) { return warp.thread(lane); };
    for (std::uint32_t k = 0; k < 100; ++k)
      warp.touchMember(a, array, own, [k](unsigned) { return k; });
  });
  const ReplayAnalysis analysis =
      analyzeReplay({program.trace(), program.source()}, h100()).value();
  EXPECT_EQ(analysis.sample.stream.unmapped, 0u);
  ASSERT_FALSE(analysis.groups[0].decision.keep) << reasonOf(analysis, analysis.groups[0]);
  EXPECT_TRUE(analysis.groups[0].decision.layout.clusters[0].exploded);
}

TEST(Policy, ARecordOfTooManyFieldsStaysAndSaysSo) {
  SyntheticProgram program;
  std::vector<std::string> names;
  for (int i = 0; i < 65; ++i)
    names.push_back("f" + std::to_string(i));
  const trace::Index record = program.floats(names);
  const std::uint32_t array = program.array(1 << 16, 65ull * 4);
  const trace::Index site = program.site(record, 7);
  program.kernel("k", 1 << 16, 1, [=](Warp &warp) {
    warp.touch(site, array, [&](unsigned lane) { return warp.thread(lane); });
  });
  const Result<ReplayAnalysis> analysis =
      analyzeReplay({program.trace(), program.source()}, h100());
  ASSERT_TRUE(analysis.has_value()) << analysis.error().text;
  EXPECT_TRUE(analysis->groups[0].decision.keep);
  EXPECT_THAT(reasonOf(*analysis, analysis->groups[0]), HasSubstr("65 fields"));
}

TEST(Replay, ATilePaysForItsIndexArithmetic) {
  const LayoutCase stream = layoutCase("stream", 0x03, "2");
  const std::vector<LayoutField> fields = layoutFields(stream.program.trace().sites.records[0]);
  const auto instructions = [&](std::uint64_t tile) {
    const Layout layout = aosoa(fields, tile);
    return evaluate(stream.program, &layout).volume.instructions;
  };
  EXPECT_LT(instructions(0), instructions(64));
  EXPECT_LT(instructions(64), instructions(100)); // a division, by a constant
}

TEST(Replay, StoresWithOtherAccessesBetweenThemReachL2OneByOne) {
  const auto storedSectors = [](bool apart) {
    SyntheticProgram program(32);
    const trace::Index record = program.floats({"x", "y"});
    const std::uint32_t to = program.array(1 << 16, 8);
    const std::uint32_t from = program.array(1 << 16, 8);
    std::vector<trace::Index> reads;
    std::vector<trace::Index> writes;
    for (trace::Index f = 0; f < 2; ++f) {
      reads.push_back(program.site(record, f));
      writes.push_back(program.site(record, f, trace::AccessKind::Write));
    }
    program.kernel("k", 1 << 16, 1, [=](Warp &warp) {
      const auto own = [&](unsigned lane) { return warp.thread(lane); };
      for (std::size_t f = 0; f < 2; ++f) {
        if (apart)
          warp.touch(reads[f], from, own);
        warp.touch(writes[f], to, own);
      }
    });
    return evaluate(program, nullptr).volume;
  };
  EXPECT_EQ(storedSectors(true).l2WriteSectors, storedSectors(true).writeSectors);
  EXPECT_LT(storedSectors(false).l2WriteSectors, 0.6 * storedSectors(false).writeSectors);
}

TEST(RunScale, ATraceOfACpuIsDecidedForArraysThatExceedL2) {
  Rows rows = multiplied(1u << 12);
  AskedScale asked;
  EXPECT_EQ(runScale(rows.program.trace(), h100(), asked).elements, 1);
  rows.program.trace().machine.kind = "cpu";
  const RunScale run = runScale(rows.program.trace(), h100(), asked);
  const double bytes = 336.0 * (1 << 12);
  EXPECT_GE(run.elements * bytes, 64.0 * static_cast<double>(h100().l2Bytes));
  EXPECT_LT((run.elements - 1) * bytes, 64.0 * static_cast<double>(h100().l2Bytes));
  EXPECT_EQ(run.launches, 1); // it was launched 1000 times
  asked.elements = 3;
  asked.launches = 7;
  EXPECT_EQ(runScale(rows.program.trace(), h100(), asked).elements, 3);
  EXPECT_EQ(runScale(rows.program.trace(), h100(), asked).launches, 7);
}

TEST(RunScale, VariablesAreAsLargeInEveryRun) {
  Rows rows = multiplied(1u << 12);
  rows.program.trace().machine.kind = "cpu";
  ASSERT_FALSE(rows.program.trace().allocations.empty());
  for (trace::Allocation &allocation : rows.program.trace().allocations)
    allocation.isVariable = true;
  EXPECT_EQ(runScale(rows.program.trace(), h100(), {}).elements, 1);
  EXPECT_EQ(runScale(rows.program.trace(), h100(), {.elements = 3}).elements, 3);
}

TEST(RunScale, LaunchesGrowWhereTheyStandInLoops) {
  Rows rows = multiplied(1u << 12);
  rows.program.trace().machine.kind = "cpu";
  rows.program.trace().launches.resize(2);
  EXPECT_EQ(runScale(rows.program.trace(), h100(), {}).launches, 50);
  rows.program.trace().sites.repeatsLaunches = false;
  EXPECT_EQ(runScale(rows.program.trace(), h100(), {}).launches, 1);
}

TEST(RunScale, TrafficGrowsWithTheElementsAndLaunches) {
  const LayoutCase stream = layoutCase("stream", 0x03, "2");
  const Layout layout = soa(layoutFields(stream.program.trace().sites.records[0]));
  const auto dramBytes = [&](const RunScale &run) {
    const ReplaySample sample =
        collectSample(stream.program.trace(), stream.program.source(), h100(), {.run = run})
            .value();
    return evaluateKernel(stream.program.trace(), sample, sample.kernels[0], {&layout}, h100())
        ->volume.dramReadBytes;
  };
  EXPECT_NEAR(dramBytes({.elements = 4, .launches = 3}), 12 * dramBytes({}), 1e-3 * dramBytes({}));
}

} // namespace
} // namespace relayout::analysis
