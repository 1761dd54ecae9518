// SPDX-License-Identifier: Apache-2.0
// What must not be rewritten: the exact code at the exact line, and not one byte changed.
// Refused lines state the expectation: `// refused: RL-R04`.
#include "support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;

std::set<std::string> expectations(const std::string &source) {
  static const std::string kMark = "// refused: ";
  std::set<std::string> expected;
  std::istringstream lines(source);
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number)
    if (const std::size_t mark = line.find(kMark); mark != std::string::npos) {
      std::istringstream codes(line.substr(mark + kMark.size()));
      for (std::string code; codes >> code;)
        expected.insert(std::to_string(number) + " " + code);
    }
  return expected;
}

class Refuse : public testing::TestWithParam<std::string> {};

TEST_P(Refuse, SaysWhyAndTouchesNothing) {
  const fs::path source = folderOf("refuse", GetParam()) / "input.cu";
  if (lacksThrust(source))
    GTEST_SKIP() << "no Thrust here: '" RELAYOUT_CCCL "' is missing";
  const std::string before = readText(source);
  const instrument::ParsedProgram program = commandFor(source);
  // First line: `// R layout`, or several with bars in between.
  std::string layout = before.substr(3, before.find('\n') - 3);
  std::ranges::replace(layout, '|', '\n');
  const Result<Rewrite> result = rewrite(program, planFor(program, layout));
  ASSERT_TRUE(result) << result.error().text;
  EXPECT_TRUE(result->refused());
  EXPECT_TRUE(result->sources.files.empty());
  EXPECT_EQ(readText(source), before);
  std::set<std::string> found;
  std::string all;
  for (const Diagnostic &finding : result->findings) {
    found.insert(std::to_string(finding.where.line) + " " + codeName(finding.code));
    all += render(finding);
    EXPECT_FALSE(finding.notes.empty()) << "no way out is named";
  }
  EXPECT_EQ(found, expectations(before)) << all;
}

INSTANTIATE_TEST_SUITE_P(Hazards, Refuse, testing::ValuesIn(casesOf("refuse")),
                         [](const auto &chosen) { return chosen.param; });

} // namespace
} // namespace relayout::rewriter::test
