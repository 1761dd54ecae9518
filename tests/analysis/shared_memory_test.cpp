// SPDX-License-Identifier: Apache-2.0
// Policy replay: arrays of records in shared memory, next to those in global memory.
#include "relayout/analysis/nakai/nakai.h"
#include "relayout/analysis/report/nakai_plan.h"
#include "replay/search/shared_memory.h"
#include "replay_evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

using testing::HasSubstr;
using Warp = SyntheticProgram::Warp;
using trace::AccessKind;

constexpr std::uint32_t kThreads = 256;
const std::vector<std::string> kNames{"a", "b", "c", "d", "e", "f", "g", "h"};

/// Threads that read each field of the record with their own number, `times` times with other
/// elements in between, and store one value in global memory.
/// \param staticBytes  of a block's variables, its array among them
SyntheticProgram tile(const std::vector<std::string> &names, std::uint32_t staticBytes,
                      unsigned times = 8, std::uint64_t distance = 1) {
  SyntheticProgram program(kThreads);
  const trace::Index record = program.floats(names);
  const auto bytes = static_cast<std::uint32_t>(4 * names.size());
  const std::uint32_t shared = program.array(kThreads, bytes);
  program.trace().transfers.clear();
  program.trace().sites.groups[record].isShared = true;
  program.trace().allocations[shared].group = record;
  program.trace().allocations[shared].isVariable = true;
  const std::uint32_t out = program.array(1u << 20, 4);
  std::vector<trace::Index> sites;
  for (trace::Index f = 0; f < names.size(); ++f)
    sites.push_back(program.site(record, f));
  const trace::Index store = program.site(trace::kNone, trace::kNone, AccessKind::Write);
  program.kernel("k", 1u << 20, kManyLaunches, [=](Warp &warp) {
    for (unsigned i = 0; i < times; ++i)
      for (const trace::Index site : sites)
        warp.touch(site, shared,
                   [&](unsigned lane) { return (warp.thread(lane) * distance + i) % kThreads; });
    warp.touch(store, out, [&](unsigned lane) { return warp.thread(lane); });
  });
  program.trace().sites.kernels[0].staticSharedBytes = staticBytes;
  return program;
}

std::uint64_t sharedWavefronts(const SyntheticProgram &program, const Layout *layout) {
  std::uint64_t wavefronts = 0;
  const KernelEvaluation evaluation = evaluate(program, layout);
  for (const SetCounts &set : evaluation.counts.sets)
    if (set.readSectors + set.writeSectors == 0)
      wavefronts += set.wavefronts * 1000 / std::max<std::uint64_t>(set.bundles, 1);
  return wavefronts; // of a thousand bundles
}

TEST(SharedArrays, BanksDecideAndNoSectorMoves) {
  const SyntheticProgram program = tile(kNames, kThreads * 32);
  const std::vector<LayoutField> fields = recordFields(program);
  Layout padded = aos(fields);
  padded.tile = 1;
  padded.padBytes = 4;
  const Layout planes = soa(fields), aligned = alignedAos(fields, 16);
  EXPECT_EQ(sharedWavefronts(program, nullptr), 8 * 8 * 1000u);
  EXPECT_EQ(sharedWavefronts(program, &planes), 8 * 1000u);
  EXPECT_EQ(sharedWavefronts(program, &padded), 8 * 1000u);
  EXPECT_EQ(sharedWavefronts(program, &aligned), 2 * 8 * 1000u) << "two 16-byte loads a record";
  const KernelEvaluation evaluation = evaluate(program, nullptr);
  EXPECT_EQ(evaluation.volume.readSectors, 0);
  EXPECT_EQ(evaluation.volume.l2ReadSectors(), 0);
}

TEST(SharedArrays, ConflictsMakeL1BindAndAreLaidOutAnew) {
  const SyntheticProgram program = tile(kNames, kThreads * 32);
  const ReplayAnalysis analysis = analyze(program);
  const GroupReplay &group = analysis.groups[0];
  ASSERT_FALSE(group.decision.keep);
  EXPECT_EQ(bindingResource(group.kernels[0].before.time), Resource::L1);
  EXPECT_LE(sharedWavefronts(program, &group.decision.layout), 2 * 8 * 1000u);
  EXPECT_LT(group.best.totalNs(), 0.5 * group.source.totalNs());
  EXPECT_TRUE(group.decision.layout.order.isAsNumbered());
}

TEST(SharedArrays, ARecordWithoutConflictsStays) {
  const SyntheticProgram program = tile({"a", "b", "c"}, kThreads * 12);
  EXPECT_EQ(sharedWavefronts(program, nullptr), 3 * 1000u);
  EXPECT_TRUE(analyze(program).groups[0].decision.keep);
}

TEST(SharedArrays, LayoutsTakeNoBlockFromAnSm) {
  const auto fits = [](std::uint32_t staticBytes, const Layout &layout) {
    const SyntheticProgram program = tile(kNames, staticBytes);
    const ReplaySample sample =
        collectSample(program.trace(), program.source(), h100(), {}).value();
    return fitsSharedMemory(program.trace(), sample, h100(), {std::nullopt}, 0, layout);
  };
  const std::vector<LayoutField> fields = recordFields(tile(kNames, 0));
  Layout padded = aos(fields);
  padded.tile = 1;
  padded.padBytes = 4; // 1 KiB more of 8
  EXPECT_TRUE(fits(kThreads * 32, padded)) << "threads allow eight blocks, 72 KiB";
  EXPECT_FALSE(fits((47u << 10) + 512, padded)) << "above 48 KiB";
  EXPECT_FALSE(fits(27u << 10, padded)) << "eight blocks become seven";
  EXPECT_FALSE(fits(0, padded)) << "other variables are not known";
  EXPECT_TRUE(fits(0, soa(fields)));
}

TEST(SharedArrays, PolicyNakaiLeavesThem) {
  const SyntheticProgram alone = tile(kNames, kThreads * 32);
  EXPECT_EQ(analyzeNakai({alone.trace(), alone.source()}).error().code, Code::NoRecordAccessed);
  SyntheticProgram program = tile(kNames, kThreads * 32);
  const trace::Index record = program.floats({"x", "y"});
  const std::uint32_t array = program.array(1u << 20, 8);
  const trace::Index site = program.site(record, 0);
  program.kernel("other", 1u << 20, 1, [=](Warp &warp) {
    warp.touch(site, array, [&](unsigned lane) { return warp.thread(lane); });
  });
  const Result<NakaiAnalysis> analysis = analyzeNakai({program.trace(), program.source()});
  ASSERT_TRUE(analysis);
  EXPECT_TRUE(analysis->groups[0].decision.keep);
  EXPECT_THAT(reasonOf(analysis->groups[0]), HasSubstr("shared memory"));
  EXPECT_FALSE(analysis->groups[1].decision.keep);
}

} // namespace
} // namespace relayout::analysis
