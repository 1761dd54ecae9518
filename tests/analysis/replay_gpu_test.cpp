// SPDX-License-Identifier: Apache-2.0
// Policy replay against what GPUs counted and how long they took: parts of the model one by one,
// and all micro-kernels of docs/results/decision.json.
#include "relayout/analysis/replay/cost/evaluation.h"
#include "replay_evaluation.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <map>
#include <tuple>

namespace relayout::analysis {
namespace {

using Warp = SyntheticProgram::Warp;

double sumOf(const KernelCounts &counts, std::uint64_t SetCounts::*member) {
  double sum = 0;
  for (const SetCounts &set : counts.sets)
    sum += static_cast<double>(set.*member);
  return sum;
}

TEST(Wavefronts, BankConflictsAreReplayed) {
  // Lane l reads a word of line l, four lines a pass. Words differ between passes; within a pass
  // two lanes want the same one of 32 banks, or all want different ones.
  const auto wavefronts = [](unsigned lanesAWord) {
    SyntheticProgram program(32);
    const trace::Index record = program.floats({"a"});
    const std::uint32_t records = program.array(1 << 16, 4);
    const trace::Index site = program.site(record, 0);
    program.kernel("k", 32, 1, [=](Warp &warp) {
      warp.touch(site, records, [=](unsigned lane) { return 32 * lane + lane / lanesAWord; });
    });
    return evaluate(program, soa(recordFields(program))).volume.wavefronts;
  };
  EXPECT_EQ(wavefronts(1), 8);
  EXPECT_EQ(wavefronts(2), 16);
  EXPECT_EQ(wavefronts(4), 32);
}

TEST(Dram, GranulesOfOneRowAreOpenedTogether) {
  // Two fields side by side in tiles of 32 are in the same 256 bytes, two planes never.
  const LayoutCase gather = layoutCase("gather", 0x03, "2");
  const std::vector<LayoutField> fields = recordFields(gather.program);
  const auto rowsAGranule = [&](const Layout &layout) {
    const KernelVolume volume = evaluate(gather.program, layout).volume;
    return volume.scatteredRows * kGranuleBytes / volume.scatteredBytes;
  };
  EXPECT_NEAR(rowsAGranule(soa(fields)), 1, 0.02);
  EXPECT_NEAR(rowsAGranule(aosoa(fields, 32)), 0.5, 0.02);
}

TEST(Dram, WhatALaunchLeavesInL2IsWrittenLater) {
  // Counted on an H100, of one launch that finds L2 empty: 245.7 MB of 268.4 where one field of all
  // is updated, 252.3 of 268.4 where it is read and as much is written elsewhere.
  for (const auto &[pattern, counted] :
       {std::pair("update", 245.7e6), std::pair("stream", 252.3e6)}) {
    const LayoutCase one = layoutCase(pattern, 0x01, "1");
    const KernelVolume volume = evaluate(one.program, soa(recordFields(one.program))).volume;
    EXPECT_NEAR(volume.dramWriteBytes, 268.4e6, 0.3e6) << pattern;
    EXPECT_NEAR(volume.dramWriteBytes - volume.leftInL2Bytes, counted, 4e6) << pattern;
  }
}

TEST(L2, FullyWrittenSectorsAreCountedSeparately) {
  const LayoutCase update = layoutCase("update", 0x01, "1");
  const std::vector<LayoutField> fields = recordFields(update.program);
  const KernelVolume planes = evaluate(update.program, soa(fields)).volume;
  EXPECT_EQ(planes.l2WholeSectors, planes.l2WriteSectors);
  EXPECT_EQ(evaluate(update.program, aos(fields)).volume.l2WholeSectors, 0) << "4 bytes of each 32";
}

TEST(AdjacentBlocks, OfAGridShareL1AndMergeRequests) {
  // Counted on an H100: 13.2 million sectors hit in L1, 74.7 million missed, of which L2 was asked
  // for 69.2 million.
  const LayoutCase grid = layoutCase("grid", 0x1f, "5");
  const KernelEvaluation evaluation = evaluate(grid.program, soa(recordFields(grid.program)));
  EXPECT_NEAR(evaluation.volume.readHits, 13.2e6, 0.1e6);
  EXPECT_NEAR(evaluation.volume.l2ReadSectors(), 69.2e6, 2e6);
  EXPECT_NEAR(evaluation.volume.mergedMisses, 5.46e6, 2e6);
}

TEST(AdjacentBlocks, ThatGatherShareL1ButMergeNoRequests) {
  // Counted on an H100: 3.23 million sectors hit, 14.8 million came from L2.
  const LayoutCase local = layoutCase("local", 0x01, "1");
  const KernelEvaluation evaluation = evaluate(local.program, soa(recordFields(local.program)));
  EXPECT_NEAR(evaluation.volume.readHits, 3.23e6, 0.05e6);
  EXPECT_LT(evaluation.volume.mergedMisses, 0.01e6);
}

TEST(AdjacentBlocks, ShareNothingIfTheirElementsAreDisjoint) {
  for (const char *pattern : {"stream", "gather"}) {
    const LayoutCase alone = layoutCase(pattern, 0x01, "1");
    const KernelEvaluation evaluation = evaluate(alone.program, soa(recordFields(alone.program)));
    const double replayed = sumOf(evaluation.counts, &SetCounts::readSectors);
    const double hits = sumOf(evaluation.counts, &SetCounts::readHits);
    const KernelVolume &volume = evaluation.volume;
    EXPECT_NEAR(volume.readHits / volume.readSectors, hits / replayed, 1e-3) << pattern;
    EXPECT_LT(volume.mergedMisses / volume.readSectors, 1e-3) << pattern;
  }
}

TEST(Latency, AWaitTakesLongerUnderLoadAndLongerStillWhereStoresGoOut) {
  // One load a warp at a time, eight blocks an SM: 0.2265 ms on an H100, where DRAM alone would
  // take 0.175 and the waits, each as long as a single one, 0.096.
  const LayoutCase strided = layoutCase("strided", 0x01, "1");
  const KernelTime time = evaluate(strided.program, soa(recordFields(strided.program))).time;
  EXPECT_LT(std::max(time.dramNs, time.latencyNs), 0.18e6);
  EXPECT_NEAR(time.totalNs, 0.2265e6, 0.015e6);
}

TEST(Latency, AWaitForSeveralLoadsTakesLongerThanForOne) {
  // Blocks that read eight bytes a thread and end, as a cluster and as two planes: 0.2897 and
  // 0.2951 ms on an H100.
  const LayoutCase stream = layoutCase("stream", 0x42, "2");
  const std::vector<LayoutField> fields = recordFields(stream.program);
  const KernelEvaluation cluster = evaluate(
      stream.program,
      Layout{
          .clusters = {{{0}, 4}, {{1, 6}, 8}, {{2}, 4}, {{3}, 4}, {{4}, 4}, {{5}, 4}, {{7}, 4}}});
  const KernelEvaluation planes = evaluate(stream.program, soa(fields));
  EXPECT_EQ(cluster.volume.multiLoadStalls, 0);
  EXPECT_EQ(planes.volume.multiLoadStalls, planes.volume.stalls);
  EXPECT_NEAR(planes.time.totalNs / cluster.time.totalNs, 0.2951 / 0.2897, 0.01);
}

/// Warps that all read the same records, one after the other; a record is a sector.
SyntheticProgram walkTogether(std::uint32_t blocks, std::uint32_t threads) {
  SyntheticProgram program(threads);
  const trace::Index record = program.floats({"a", "b", "c", "d", "e", "f", "g", "h"});
  const std::uint32_t records = program.array(256, 32);
  std::vector<trace::Index> sites;
  for (trace::Index field = 0; field < 8; ++field)
    sites.push_back(program.site(record, field));
  program.kernel("k", threads, blocks, [=](SyntheticProgram::Warp &warp) {
    for (std::uint64_t i = 0; i < 256; ++i)
      for (const trace::Index site : sites)
        warp.touch(site, records, [i](unsigned) { return i; });
  });
  return program;
}

TEST(Latency, WarpsSideBySideWaitForWhatOneOfThemAskedFor) {
  const SyntheticProgram program = walkTogether(h100().sms, 128);
  const std::vector<LayoutField> fields = recordFields(program);
  const KernelVolume records = evaluate(program, aos(fields)).volume;
  EXPECT_NEAR(records.longStalls, records.stalls / 4, records.stalls / 20) << "one warp of four";
  EXPECT_NEAR(records.longStalls + records.lateStalls, records.stalls, records.stalls / 10);
  EXPECT_LT(evaluate(program, soa(fields)).time.latencyNs,
            0.8 * evaluate(program, aos(fields)).time.latencyNs)
      << "a plane has a new sector every eight records only";
}

struct Limits {
  const char *machineFile;
  double ratio; ///< of two layouts' times, predicted over measured, at most so far from 1
};

class MicroKernels : public testing::TestWithParam<Limits> {};

TEST_P(MicroKernels, HaveRatiosOfTimesAsMeasured) {
  std::ifstream file(std::string(RELAYOUT_MACHINES) + "/" + GetParam().machineFile);
  std::stringstream text;
  text << file.rdbuf();
  const Result<Machine> machine = machineFromJson(text.str());
  ASSERT_TRUE(machine.has_value());
  std::ifstream results(RELAYOUT_RESULTS "/decision.json");
  const nlohmann::json cases =
      nlohmann::json::parse(results)["micro_benchmark"][machine->name]["cases"];
  std::map<std::tuple<std::string, std::string, std::string>, double> measured;
  for (const nlohmann::json &row : cases)
    measured[{row["pattern"], row["fields"], row["layout"]}] = row["measured_ms"];
  ASSERT_EQ(measured.size(), 236u);

  std::size_t compared = 0;
  for (const LayoutCase &layoutCase : layoutCases()) {
    double sourceMs = 0; // the first layout is the source's
    double sourceMeasured = 0;
    for (const auto &[name, layout] : benchLayouts(recordFields(layoutCase.program))) {
      const double ms = evaluate(layoutCase.program, layout, *machine).time.totalNs * 1e-6;
      const double measuredMs = measured.at({layoutCase.pattern, layoutCase.fields, name});
      if (sourceMs == 0) {
        sourceMs = ms;
        sourceMeasured = measuredMs;
      }
      ++compared;
      EXPECT_NEAR(ms / sourceMs / (measuredMs / sourceMeasured), 1, GetParam().ratio)
          << layoutCase.pattern << " " << layoutCase.fields << " " << name;
    }
  }
  EXPECT_EQ(compared, 236u);
}

// The model was fitted to some of the kernels on the H100, to none on the H200.
INSTANTIATE_TEST_SUITE_P(Gpus, MicroKernels,
                         testing::Values(Limits{"h100.json", 0.15}, Limits{"h200.json", 0.18}),
                         [](const auto &info) {
                           return std::string(info.param.machineFile).substr(0, 4);
                         });

} // namespace
} // namespace relayout::analysis
