// SPDX-License-Identifier: Apache-2.0
// Tests of the readable form of a trace.
#include "sample_trace.h"

#include "relayout/trace/dump.h"

#include <gmock/gmock.h>

namespace relayout::trace {
namespace {

using testing::HasSubstr;
using testing::Not;

std::pair<std::string, std::string> dumpOf(const std::string &path, std::uint64_t accesses) {
  std::string text;
  const Result<void> done = dump(path, {accesses}, [&](std::string_view piece) { text += piece; });
  return {text, done ? "" : codeName(done.error().code)};
}

TEST(TraceDump, ShowsEveryPartOfATrace) {
  const TemporaryFile file;
  writeSample(file.path());
  const auto [text, code] = dumpOf(file.path(), 2);
  EXPECT_EQ(code, "");
  EXPECT_THAT(text, HasSubstr("./sample 16"));
  EXPECT_THAT(text, HasSubstr("cpu test machine"));
  EXPECT_THAT(text, HasSubstr("16 executed, 6 sampled"));
  EXPECT_THAT(text, HasSubstr("launches: 3 executed, 2 listed"));
  EXPECT_THAT(text,
              HasSubstr("step  grid (4,2,1) block (64,1,1) shared 0 B  1 block in 4 sampled"));
  EXPECT_THAT(text, HasSubstr("sim::Body.v"));
  EXPECT_THAT(text, HasSubstr("sim::Body (whole)"));
  EXPECT_THAT(text, HasSubstr("sample.cu:12:5"));
  EXPECT_THAT(text, HasSubstr("24 warp iterations  step, sample.cu:11:3"));
  EXPECT_THAT(text, HasSubstr("0x7000  4096 B"));
  EXPECT_THAT(text, HasSubstr("00ff00ff  sample.cu:30"));
  EXPECT_THAT(
      text, HasSubstr("launch 0 block 0 warp 0 #0 site 1 mask ffffffff 4 B at 0x7000 +16 a lane"));
  EXPECT_THAT(text, HasSubstr("... 5 more"));
}

TEST(TraceDump, PrintsAnIncompleteTraceAndSaysSo) {
  const TemporaryFile file;
  writeSample(file.path(), false);
  const auto [text, code] = dumpOf(file.path(), 10);
  EXPECT_EQ(code, codeName(Code::IncompleteTrace));
  EXPECT_THAT(text, HasSubstr("complete  no"));
  EXPECT_THAT(text, HasSubstr("./sample 16"));
}

TEST(TraceDump, PrintsNothingOfAFileThatIsNoTrace) {
  const TemporaryFile file;
  file.write("not a trace at all");
  const auto [text, code] = dumpOf(file.path(), 10);
  EXPECT_EQ(code, codeName(Code::NotATrace));
  EXPECT_EQ(text, "");
}

TEST(DescribeAccess, TellsAddressesBriefly) {
  EXPECT_THAT(describe(affineAccess(4, 2, 9, 0x100, 0)), HasSubstr("at 0x100 +0 a lane"));
  EXPECT_THAT(describe(affineAccess(4, 2, 9, 0x1000, static_cast<std::uint64_t>(-8))),
              HasSubstr("at 0x1000 -8 a lane"));
  EXPECT_THAT(describe(affineAccess(4, 2, 9, 0x100, 4, 0x10)), Not(HasSubstr("a lane")));
  EXPECT_THAT(describe(affineAccess(4, 2, 9, 0x100, 4, 0x7)), HasSubstr("at 0x100 +4 a lane"));
  EXPECT_THAT(describe(affineAccess(4, 2, 9, 0x100, 4, 0x5)), HasSubstr("at 0x100 +8"));
  WarpAccess uneven = affineAccess(4, 2, 9, 0x100, 4, 0x7);
  uneven.addresses[2] = 0x80;
  EXPECT_THAT(describe(uneven), HasSubstr("at 0x100 +4 -128"));
}

} // namespace
} // namespace relayout::trace
