// SPDX-License-Identifier: Apache-2.0
// Policy replay: what converting costs a program that copies its arrays again and again.
#include "relayout/analysis/gpu/fit.h"
#include "replay_evaluation.h"

#include <gmock/gmock.h>

#include <string>

namespace relayout::analysis {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The stream of one field of eight, whose array is uploaded once and copied so many times more.
LayoutCase copiedCase(std::uint64_t copies, bool isToHost) {
  LayoutCase stream = layoutCase("stream", 0x01, "1", kManyLaunches);
  trace::Trace &trace = stream.program.trace();
  const trace::Allocation &array = trace.allocations[0];
  trace.transfers.push_back(
      {array.address, isToHost, copies, copies * array.bytes, "folder/sim.cu:88"});
  return stream;
}

class RepeatedCopies : public testing::TestWithParam<bool> {};

TEST_P(RepeatedCopies, EveryCopyIsConverted) {
  const ReplayAnalysis analysis = analyze(copiedCase(100, GetParam()).program);
  const GroupReplay &group = analysis.groups[0];
  EXPECT_EQ(group.hostCopies.convertedBytes, 101 * 32.0 * kBenchElements) << "one upload";
  EXPECT_EQ(group.hostCopies.conversions, 101);
  EXPECT_TRUE(group.hostCopies.areRepeated);
  const std::string text = renderReplayReport(analysis);
  EXPECT_THAT(text, HasSubstr("Repeated copies: the host copies these arrays 101 times in the "
                              "traced run"));
  EXPECT_THAT(text, HasSubstr("sim.cu:88"));
  EXPECT_THAT(text, Not(HasSubstr("folder/sim.cu")));
  EXPECT_THAT(replayReportJson(analysis), HasSubstr("\"repeated\": true"));
  const ReplayAnalysis once = analyze(copiedCase(1, GetParam()).program);
  EXPECT_THAT(renderReplayReport(once), Not(HasSubstr("Repeated copies")));
  EXPECT_GT(group.best.conversionNs, 40 * once.groups[0].best.conversionNs);
}

INSTANTIATE_TEST_SUITE_P(Directions, RepeatedCopies, testing::Bool(), [](const auto &direction) {
  return direction.param ? "ToTheHost" : "FromTheHost";
});

// Kernels of microseconds wait for each kernel that converts, however few bytes it has.
TEST(FewBytes, AreConvertedByAKernelEach) {
  LayoutCase stream = copiedCase(1000, false);
  stream.program.trace().transfers.back().bytes = 32;
  const double conversionNs = analyze(stream.program).groups[0].best.conversionNs;
  EXPECT_GT(conversionNs, 1000 * 1000.0);
  stream.program.trace().transfers.pop_back();
  EXPECT_LT(analyze(stream.program).groups[0].best.conversionNs, conversionNs / 2);
}

// What stays on the device is never converted.
TEST(CopiesOfOthers, CostNothing) {
  LayoutCase stream = layoutCase("stream", 0x01, "1", kManyLaunches);
  trace::Trace &trace = stream.program.trace();
  const std::uint64_t bytes = trace.allocations[0].bytes;
  trace.transfers = {{trace.allocations[0].address + (1ull << 50), true, 100, 100 * bytes}};
  trace.copies.assign(100, {bytes, 0, "digest", "sim.cu:88"});
  EXPECT_EQ(analyze(stream.program).groups[0].best.conversionNs, 0);
}

// The first kernel that touches managed memory waits for its pages, whatever lies in them.
TEST(ManagedMemory, ComesPageByPageInEveryLayout) {
  LayoutCase stream = layoutCase("stream", 0x01, "1", kManyLaunches);
  const ReplayAnalysis device = analyze(stream.program);
  stream.program.trace().allocations[0].isManaged = true;
  const ReplayAnalysis managed = analyze(stream.program);
  const double waits = 32.0 * kBenchElements / fit::kMigratedBytesPerNs;
  const KernelOutcome &outcome = managed.groups[0].kernels[0];
  EXPECT_NEAR(outcome.before.time.otherNs, waits, 1);
  EXPECT_NEAR(outcome.after.time.otherNs, waits, 1);
  EXPECT_NEAR(managed.groups[0].best.kernelNs, device.groups[0].best.kernelNs + waits, waits / 100);
  EXPECT_THAT(renderReplayReport(managed), HasSubstr("for pages of managed memory"));
  EXPECT_THAT(renderReplayReport(device), Not(HasSubstr("managed memory")));
}

} // namespace
} // namespace relayout::analysis
