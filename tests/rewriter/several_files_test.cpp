// SPDX-License-Identifier: Apache-2.0
// Programs of several source files: groups reach across files, a shared header is edited once, and
// files that mean something else when they are read as one are refused.
#include "relayout/instrument/clang/front_end.h"
#include "support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

std::vector<fs::path> filesIn(const fs::path &folder, const std::vector<std::string> &names) {
  std::vector<fs::path> files;
  for (const std::string &name : names)
    files.push_back(folder / name);
  return files;
}

const std::vector<std::string> kNames = {"main.cu", "kernels.cu", "steps.cu"};

class SeveralFiles : public testing::TestWithParam<const char *> {};

TEST_P(SeveralFiles, AreRewrittenAsOneProgram) {
  const fs::path scratch = scratchFolder();
  const instrument::CompileCommand command =
      commandFor(filesIn(folderOf("programs", "several"), kNames));
  const Result<Rewrite> result = rewrite(command, planFor(command, GetParam()));
  ASSERT_TRUE(result) << result.error().text;
  for (const Diagnostic &finding : result->findings)
    EXPECT_NE(finding.severity, Severity::Error) << render(finding);
  ASSERT_TRUE(instrument::writeSources(result->sources, (scratch / "rewritten").string()));
  EXPECT_THAT(readText(scratch / "rewritten" / "main.cu"), Not(HasSubstr("kernels.cu")));

  const Outcome before = runOnCpu(command, scratch / "before", "");
  const Outcome after =
      runOnCpu(commandFor(filesIn(scratch / "rewritten", kNames)), scratch / "after", "");
  EXPECT_EQ(before.code, 0) << before.output;
  EXPECT_GT(before.copiedBytes, 0u);
  EXPECT_EQ(after.copies, before.copies);
  EXPECT_EQ(after.output, before.output);
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(Layouts, SeveralFiles,
                         testing::Values("Particle exploded\nField soa",
                                         "Particle x y @8 / mass cell tile 32\nField aligned 8"));

TEST(SeveralFiles, StillCompileEachByItself) {
  if (shell("PATH=$PATH:" RELAYOUT_CUDA_ROOT "/bin command -v nvcc").output.empty())
    GTEST_SKIP() << "no nvcc here";
  const fs::path scratch = scratchFolder();
  const instrument::CompileCommand command =
      commandFor(filesIn(folderOf("programs", "several"), kNames));
  const Result<Rewrite> result = rewrite(command, planFor(command, "Particle exploded\nField soa"));
  ASSERT_TRUE(result && !result->refused());
  ASSERT_TRUE(instrument::writeSources(result->sources, scratch.string()));
  std::string line = "cd " + scratch.string() +
                     " && PATH=$PATH:" RELAYOUT_CUDA_ROOT
                     "/bin nvcc -std=c++14 -arch=sm_90 -rdc=true "
                     "-o program";
  for (const std::string &name : kNames)
    line += " " + name;
  const Ran ran = shell(line);
  EXPECT_EQ(ran.code, 0) << ran.output;
  fs::remove_all(scratch);
}

TEST(SeveralFiles, NeedTheirPlanForAllOfThem) {
  const fs::path folder = folderOf("programs", "several");
  const instrument::CompileCommand all = commandFor(filesIn(folder, kNames));
  const Result<Rewrite> result =
      rewrite(commandFor(filesIn(folder, {"main.cu", "kernels.cu"})), planFor(all, "Field soa"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::PlanOfOtherProgram);
}

/// Files that cannot be read as one with main.cu.
class Clashing : public testing::TestWithParam<const char *> {};

TEST_P(Clashing, IsSaid) {
  const fs::path folder = folderOf("programs", "clashing");
  const auto parsed = instrument::parse(commandFor(filesIn(folder, {"main.cu", GetParam()})),
                                        instrument::Pass::Host);
  ASSERT_FALSE(parsed);
  EXPECT_EQ(parsed.error().code, Code::FilesDoNotJoin) << parsed.error().text;
  EXPECT_THAT(parsed.error().where.file, HasSubstr(GetParam()));
}

// An overload that only main.cu has would be chosen; a record defined twice, differently; and a
// host function like a device function of main.cu.
INSTANTIATE_TEST_SUITE_P(Files, Clashing, testing::Values("overload.cu", "twice.cu", "host.cu"));

} // namespace
} // namespace relayout::rewriter::test
