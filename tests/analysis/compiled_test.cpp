// SPDX-License-Identifier: Apache-2.0
// Policy replay: registers and loops as nvcc makes them, in place of estimates.
#include "relayout/analysis/compiler_model/compiled_kernels.h"
#include "relayout/analysis/report/replay_plan.h"
#include "relayout/analysis/report/replay_report.h"
#include "replay_cases.h"
#include "replay_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

using testing::HasSubstr;
using Warp = SyntheticProgram::Warp;

TEST(CompiledKernels, AreReadFromTheWordsOfPtxas) {
  const CompiledKernels kernels = compiledKernels(R"(sim.cu(3): warning #177-D: unused variable
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z4kick8BodyViewif' for 'sm_90'
ptxas info    : Function properties for _Z4kick8BodyViewif
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers, 380 bytes cmem[0]
ptxas info    : Compiling entry function '_ZN3sim5sweepILi4EEEvPKfPf' for 'sm_90'
ptxas info    : Function properties for _ZN3sim5sweepILi4EEEvPKfPf
    72 bytes stack frame, 24 bytes spill stores, 48 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 72 bytes cumulative stack size
ptxas info    : Compiling entry function '_ZN3sim5sweepILi2EEEvPKfPf' for 'sm_90'
ptxas info    : Used 16 registers, used 1 barriers
ptxas info    : Compiling entry function 'plain' for 'sm_90'
ptxas info    : Used 8 registers
)");
  ASSERT_EQ(kernels.size(), 3u);
  EXPECT_EQ(kernels.at("kick").registers, 40u);
  EXPECT_EQ(kernels.at("kick").spillBytes, 0u);
  EXPECT_EQ(kernels.at("sim::sweep").registers, 255u) << "the most of its instantiations";
  EXPECT_EQ(kernels.at("sim::sweep").spillBytes, 72u);
  EXPECT_EQ(kernels.at("plain").registers, 8u);
  EXPECT_TRUE(compiledKernels("no such words").empty());
}

constexpr std::uint64_t kTable = 1u << 16;

/// Warps that read two fields of eight of rows of a table in L2: latency counts, so warps an SM do.
SyntheticProgram chasing() {
  SyntheticProgram program;
  const trace::Index record = program.floats({"a", "b", "c", "d", "e", "f", "g", "h"});
  const std::uint32_t records = program.array(kTable, 32);
  const trace::Index a = program.site(record, 0);
  const trace::Index b = program.site(record, 1);
  program.kernel("chase", 1u << 20, 100, [=](Warp &warp) {
    for (std::uint64_t step = 0; step < 4; ++step)
      for (const trace::Index site : {a, b})
        warp.touch(site, records, [&](unsigned lane) -> std::uint64_t {
          return benchHash(static_cast<std::uint32_t>(warp.thread(lane) / 32 * 4 + step)) % kTable /
                     32 * 32 +
                 lane;
        });
  });
  program.trace().sites.kernels[0].liveWords = 30;
  program.trace().machine.kind = "gpu";
  return program;
}

class Compiled : public testing::Test {
protected:
  ReplayAnalysis searched() { return analyzeReplay(handle(), h100()).value(); }

  /// The decision between the source and SoA as compiled.
  ReplayAnalysis decided(const CompiledKernel &source, const CompiledKernel &soa,
                         bool wasKept = false) {
    finalists_.earlier = searched().groups;
    finalists_.earlier[0].decision.keep = wasKept;
    finalists_.versions = {{"original", {std::nullopt}, {{"chase", source}}},
                           {"soa",
                            {analysis::soa(layoutFields(program_.trace().sites.records[0]))},
                            {{"chase", soa}}}};
    ReplayOptions options;
    options.compiled = &finalists_;
    return analyzeReplay(handle(), h100(), options).value();
  }

private:
  [[nodiscard]] trace::TraceHandle handle() const { return {program_.trace(), program_.source()}; }

  SyntheticProgram program_ = chasing();
  CompiledFinalists finalists_;
};

TEST_F(Compiled, OnlyWhatWasCompiledIsDecidedBetween) {
  const ReplayAnalysis analysis = decided({32, 0}, {32, 0});
  const GroupReplay &group = analysis.groups[0];
  EXPECT_EQ(group.best.layout.clusters.size(), 8u);
  EXPECT_FALSE(group.decision.keep) << reasonOf(analysis, group);
  EXPECT_GT(group.candidates.size(), 2u) << "the others were tried before";
  EXPECT_THAT(renderReplayReport(analysis), HasSubstr("registers of a thread as original, soa"));
  EXPECT_THAT(replayReportJson(analysis), HasSubstr("\"registers\": 32"));
}

TEST_F(Compiled, ALayoutThatTakesManyRegistersHasFewWarps) {
  const auto ratio = [](const ReplayAnalysis &analysis) {
    return analysis.groups[0].best.totalNs() / analysis.groups[0].source.totalNs();
  };
  const double alike = ratio(decided({32, 0}, {32, 0}));
  EXPECT_GT(ratio(decided({32, 0}, {255, 0})), 1.2 * alike);
  EXPECT_NE(decided({255, 0}, {32, 0}).groups[0].source.totalNs(),
            decided({32, 0}, {32, 0}).groups[0].source.totalNs())
      << "the source has registers of its own";
}

TEST_F(Compiled, ALayoutThatSpillsIsNotTaken) {
  const ReplayAnalysis analysis = decided({32, 0}, {32, 16});
  EXPECT_TRUE(analysis.groups[0].decision.keep);
  EXPECT_THAT(reasonOf(analysis, analysis.groups[0]), HasSubstr("nvcc lacks registers in 'chase'"));
  EXPECT_FALSE(decided({32, 16}, {32, 16}).groups[0].decision.keep) << "as the source does";
}

/// Registers speak against changes, not for one where estimates found none.
TEST_F(Compiled, AGroupThatWasLeftAloneStaysSo) {
  EXPECT_FALSE(decided({32, 0}, {32, 0}).groups[0].decision.keep);
  EXPECT_TRUE(decided({32, 0}, {32, 0}, /*wasKept=*/true).groups[0].decision.keep);
}

TEST_F(Compiled, EstimatesThatLimitWarpsAreDoubted) {
  const auto reasons = [](const ReplayAnalysis &analysis) {
    std::vector<LowConfidenceReason> reasons;
    for (const LowConfidence &known : analysis.groups[0].decision.lowConfidence)
      reasons.push_back(known.reason);
    return reasons;
  };
  EXPECT_THAT(reasons(searched()), testing::Contains(LowConfidenceReason::EstimatedRegisters));
  EXPECT_THAT(reasons(decided({32, 0}, {32, 0})),
              testing::Not(testing::Contains(LowConfidenceReason::EstimatedRegisters)));
}

/// Threads of which each reads two fields of all 1,024 elements, as all other threads do.
SyntheticProgram walking() {
  constexpr std::uint64_t kElements = 1024;
  SyntheticProgram program;
  const trace::Index record = program.floats({"a", "b", "c", "d", "e", "f", "g", "h"});
  const std::uint32_t records = program.array(kElements, 32);
  const std::vector<trace::Index> read{program.site(record, 0), program.site(record, 1)};
  trace::SiteTable &sites = program.trace().sites;
  sites.loops.push_back({100, trace::kNone, "walk", {"program.cu", 1, 1}});
  for (const trace::Index site : read)
    sites.reaches.push_back({0, site, 0});
  program.kernel("walk", kElements, 1, [=](Warp &warp) {
    for (std::uint64_t j = 0; j < kElements; ++j)
      for (const trace::Index site : read)
        warp.touch(site, records, [j](unsigned) { return j; });
  });
  program.trace().machine.kind = "gpu";
  return program;
}

/// Loads of two fields and what uses them, so many times in an iteration.
MachineLoop unrolled(unsigned times, std::int32_t elementBytes, std::int32_t distance,
                     bool waitsForEach) {
  MachineLoop loop;
  MachineInstruction uses;
  uses.kind = MachineInstruction::Kind::Float;
  uses.pause = 4;
  for (unsigned i = 0; i < times; ++i)
    for (const std::int32_t offset : {0, distance}) {
      MachineInstruction load;
      load.kind = MachineInstruction::Kind::GlobalLoad;
      load.bytes = 4;
      load.pause = 1;
      load.countsResult = 0;
      load.base = elementBytes == 4 && offset != 0 ? 1 : 0;
      load.offset = static_cast<std::int32_t>(i) * elementBytes + (load.base == 1 ? 0 : offset);
      loop.body.push_back(load);
      if (waitsForEach && offset != 0) {
        loop.body.push_back(uses);
        loop.body.back().waits = 1;
      }
    }
  while (loop.count(MachineInstruction::Kind::Float) < times) {
    loop.body.push_back(uses);
    loop.body.back().waits = 1;
  }
  return loop;
}

ReplayAnalysis walkedWith(const MachineLoop &source, const MachineLoop &soa, bool wasKept) {
  const SyntheticProgram program = walking();
  const trace::TraceHandle handle{program.trace(), program.source()};
  CompiledFinalists finalists;
  finalists.earlier = analyzeReplay(handle, h100()).value().groups;
  finalists.earlier[0].decision.keep = wasKept;
  finalists.versions = {{"original", {std::nullopt}, {{"walk", {32, 0, {source}}}}},
                        {"soa",
                         {analysis::soa(layoutFields(program.trace().sites.records[0]))},
                         {{"walk", {32, 0, {soa}}}}}};
  ReplayOptions options;
  options.compiled = &finalists;
  return analyzeReplay(handle, h100(), options).value();
}

TEST(CompiledWalk, IsReplayedInstructionByInstruction) {
  // The source waits for each of four elements; planes for a sector of each field every other time.
  const ReplayAnalysis analysis =
      walkedWith(unrolled(4, 32, 4, true), unrolled(4, 4, 4096, false), /*wasKept=*/true);
  const GroupReplay &group = analysis.groups[0];
  EXPECT_LT(group.best.totalNs() / group.source.totalNs(), 0.5);
  EXPECT_FALSE(group.decision.keep) << "machine code speaks for a change too";
  EXPECT_GT(group.kernels[0].before.time.errorOfMachineCode, 0);
  EXPECT_TRUE(group.decision.lowConfidence.empty());
}

TEST(CompiledWalk, LoopsThatAreNotOfTheSameWorkAreNotCompared) {
  MachineLoop source = unrolled(2, 32, 4, true);
  source.body.push_back(source.body.back()); // three results for two elements
  const ReplayAnalysis analysis =
      walkedWith(source, unrolled(4, 4, 4096, false), /*wasKept=*/false);
  EXPECT_EQ(analysis.groups[0].kernels[0].before.time.errorOfMachineCode, 0);
}

TEST(CompiledWalk, WithoutACompilerTheLoopIsDoubted) {
  const SyntheticProgram program = walking();
  const ReplayAnalysis analysis =
      analyzeReplay({program.trace(), program.source()}, h100()).value();
  EXPECT_THAT(analysis.groups[0].decision.lowConfidence,
              testing::Contains(
                  testing::Field(&LowConfidence::reason, LowConfidenceReason::EstimatedLoop)));
}

} // namespace
} // namespace relayout::analysis
