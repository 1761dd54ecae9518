// SPDX-License-Identifier: Apache-2.0
// Policy replay: what gains too little, or for the wrong reason, is left as it is.
#include "relayout/analysis/report/replay_plan.h"
#include "replay_evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

namespace relayout::analysis {
namespace {

using Warp = SyntheticProgram::Warp;
using trace::AccessKind;

/// A stream over particles: x += u * dt; y += v * dt; z += w * dt.
SyntheticProgram particleStream() {
  SyntheticProgram program;
  const trace::Index record = program.floats({"x", "y", "z", "u", "v", "w", "mass", "charge"});
  const std::uint32_t records = program.array(1u << 16, 32);
  std::vector<trace::Index> sites;
  for (trace::Index f = 0; f < 3; ++f) {
    sites.push_back(program.site(record, f));
    sites.push_back(program.site(record, f + 3));
    sites.push_back(program.site(record, f, AccessKind::Write));
  }
  program.kernel("push", 1u << 16, 10, [=](Warp &warp) {
    for (const trace::Index site : sites)
      warp.touch(site, records, [&](unsigned lane) { return warp.thread(lane); });
  });
  program.trace().machine.kind = "cpu";
  return program;
}

TEST(Margins, AStreamOfParticlesHasOneFieldACluster) {
  // On an H200 SoA takes 3.28 ms, {x y} {z} {u} {v w} 3.33 ms, the source 8.92 ms.
  const ReplayAnalysis analysis = analyze(particleStream());
  ASSERT_FALSE(analysis.groups[0].decision.keep);
  EXPECT_EQ(analysis.groups[0].decision.layout,
            soa(layoutFields(analysis.trace->sites.records[0])));
}

TEST(Margins, ClustersThatAskLessOfAllMemoryStandBeforeOneStruct) {
  // Pairs of lanes read adjacent elements of a window, half of each element: instructions bind, as
  // the model has it, and one struct has as many of them as clusters of a vector each.
  SyntheticProgram program;
  const trace::Index record = program.floats({"x", "y", "z", "mass", "u", "v", "w", "charge"});
  const std::uint32_t records = program.array(1u << 16, 32);
  std::vector<trace::Index> sites;
  for (trace::Index f = 0; f < 4; ++f)
    sites.push_back(program.site(record, f));
  program.kernel("pull", 1u << 15, 10, [=](Warp &warp) {
    for (std::uint64_t k = 0; k < 16; ++k)
      for (const trace::Index site : sites)
        warp.touch(site, records, [&](unsigned lane) {
          return warp.thread(0) +
                 std::uint64_t{2} * ((std::uint64_t{lane} / 2 * 37 + k * 11) % 256) + lane % 2;
        });
  });
  trace::Operations operations;
  operations.add({trace::OperationKind::Multiply, trace::ValueType::Single, {}}, 1000);
  program.trace().sites.kernels[0].operations = operations;
  program.trace().machine.kind = "cpu";
  const ReplayAnalysis analysis = analyze(program);
  ASSERT_FALSE(analysis.groups[0].decision.keep);
  const Layout &chosen = analysis.groups[0].decision.layout;
  EXPECT_EQ(chosen.clusters.front().fields, (std::vector<std::uint32_t>{0, 1, 2, 3}));
  EXPECT_EQ(chosen.clusters.front().alignment, 16u);
}

/// Each thread adds to a sum in one of so many records.
SyntheticProgram histogram(std::uint64_t records) {
  SyntheticProgram program;
  const trace::Index record = program.floats({"sum", "x", "y", "z", "u", "v", "w", "mass"});
  const std::uint32_t sums = program.array(records, 32);
  const trace::Index site = program.site(record, 0, AccessKind::Atomic);
  program.kernel("count", 1u << 16, 10, [=](Warp &warp) {
    warp.touch(site, sums, [&](unsigned lane) { return warp.thread(lane) % records; });
  });
  program.trace().machine.kind = "cpu";
  return program;
}

TEST(Margins, NoGainIsSureWhereAtomicsMeet) {
  EXPECT_TRUE(analyze(histogram(512)).groups[0].decision.keep);
  const ReplayAnalysis apart = analyze(histogram(1u << 16));
  EXPECT_FALSE(apart.groups[0].decision.keep) << apart.groups[0].decision.reason;
}

/// A table is cleared, and each thread adds to a sum in a record that its data tell.
SyntheticProgram wordCount(AccessKind kind) {
  constexpr std::uint64_t kRecords = 1u << 16;
  SyntheticProgram program;
  const trace::Index record = program.floats({"sum", "x", "y", "z", "u", "v", "w", "mass"});
  const std::uint32_t sums = program.array(kRecords, 32);
  const trace::Index clear = program.site(record, 0, AccessKind::Write);
  const trace::Index add = program.site(record, 0, kind);
  program.kernel("clear", kRecords, 10, [=](Warp &warp) {
    warp.touch(clear, sums, [&](unsigned lane) { return warp.thread(lane); });
  });
  program.kernel("count", kRecords, 10, [=](Warp &warp) {
    warp.touch(add, sums,
               [&](unsigned lane) { return warp.thread(lane) * 0x9e3779b1u % kRecords; });
  });
  program.trace().machine.kind = "cpu";
  return program;
}

TEST(Margins, NoGainIsSureWhereAtomicsOfALargerRunMayMeet) {
  EXPECT_TRUE(analyze(wordCount(AccessKind::Atomic)).groups[0].decision.keep);
  const ReplayAnalysis writes = analyze(wordCount(AccessKind::Write));
  EXPECT_FALSE(writes.groups[0].decision.keep) << writes.groups[0].decision.reason;
}

TEST(Margins, AnOrderThatGainsLessThanViewsMayCostIsNotTaken) {
  // Three values a thread, side by side: L1 combines the stores, and finds what loads read again.
  SyntheticProgram program;
  const trace::Index element = program.floats({"value"});
  const std::uint32_t from = program.array(3u << 16, 4);
  const std::uint32_t to = program.array(3u << 16, 4);
  program.trace().sites.groups.push_back({element, {"main::to"}, {"program.cu", 2, 1}});
  const trace::Index read = program.site(element, 0);
  const trace::Index write = program.site(element, 0, AccessKind::Write);
  program.trace().sites.sites[write].group = 1;
  for (trace::Allocation &allocation : program.trace().allocations)
    allocation.extents = {{"3", 3}};
  program.kernel("copy", 1u << 16, kManyLaunches, [=](Warp &warp) {
    for (const auto &[site, array] : {std::pair(read, from), std::pair(write, to)})
      for (std::uint64_t k = 0; k < 3; ++k)
        warp.touch(site, array, [&](unsigned lane) { return warp.thread(lane) * 3 + k; });
  });
  for (const char *machine : {"cpu", "gpu"}) {
    program.trace().machine.kind = machine;
    const ReplayAnalysis analysis = analyze(program);
    for (const GroupReplay &group : analysis.groups) {
      EXPECT_TRUE(std::ranges::any_of(group.candidates, [](const Candidate &candidate) {
        return !candidate.layout.order.isAsNumbered();
      })) << "it is tried";
      EXPECT_TRUE(group.decision.keep) << machine << ": " << reasonOf(analysis, group);
    }
  }
}

} // namespace
} // namespace relayout::analysis
