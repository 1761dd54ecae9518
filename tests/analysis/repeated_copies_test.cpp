// SPDX-License-Identifier: Apache-2.0
// Policy replay: what converting costs a program that copies its arrays to the host again and
// again.
#include "replay_evaluation.h"

#include <gmock/gmock.h>

#include <string>

namespace relayout::analysis {
namespace {

using testing::HasSubstr;
using testing::Not;

/// The stream of one field of eight, whose array the host copies so many times.
LayoutCase copiedCase(std::uint64_t copies, const std::string &place) {
  LayoutCase stream = layoutCase("stream", 0x01, "1", kManyLaunches);
  for (std::uint64_t i = 0; i < copies; ++i)
    stream.program.trace().copies.push_back({32ull * kBenchElements, 0, "digest", place});
  return stream;
}

TEST(RepeatedCopies, EveryCopyToTheHostIsConverted) {
  const ReplayAnalysis analysis = analyze(copiedCase(100, "folder/sim.cu:88").program);
  const GroupReplay &group = analysis.groups[0];
  EXPECT_EQ(group.convertedBytes, 101 * 32ull * kBenchElements) << "one upload";
  EXPECT_TRUE(group.hostCopies.areRepeated());
  const std::string text = renderReplayReport(analysis);
  EXPECT_THAT(text, HasSubstr("Repeated copies: the host copies these arrays 100 times in the "
                              "traced run"));
  EXPECT_THAT(text, HasSubstr("sim.cu:88"));
  EXPECT_THAT(text, Not(HasSubstr("folder/sim.cu")));
  EXPECT_THAT(replayReportJson(analysis), HasSubstr("\"repeated\": true"));
  const ReplayAnalysis once = analyze(copiedCase(1, "sim.cu:88").program);
  EXPECT_THAT(renderReplayReport(once), Not(HasSubstr("Repeated copies")));
  EXPECT_GT(group.best.conversionNs, 40 * once.groups[0].best.conversionNs);
}

TEST(RepeatedCopies, StatesOfMemoryThatTheHostReachesAreNotConverted) {
  const ReplayAnalysis analysis =
      analyze(copiedCase(100, std::string(trace::kStateOf) + "sim.cu:12").program);
  EXPECT_EQ(analysis.groups[0].convertedBytes, 32ull * kBenchElements);
  EXPECT_THAT(renderReplayReport(analysis), Not(HasSubstr("Repeated copies")));
}

} // namespace
} // namespace relayout::analysis
