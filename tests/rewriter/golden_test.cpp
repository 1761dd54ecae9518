// SPDX-License-Identifier: Apache-2.0
// Rewritten text, compared byte for byte. RELAYOUT_REGENERATE=1 writes the expectations anew.
#include "support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;

class Golden : public testing::TestWithParam<std::string> {};

TEST_P(Golden, RewritesAsExpected) {
  const fs::path folder = folderOf("golden", GetParam());
  if (lacksThrust(folder / "input.cu"))
    GTEST_SKIP() << "no Thrust here: '" RELAYOUT_CCCL "' is missing";
  const instrument::ParsedProgram program = commandFor(folder / "input.cu");
  const Result<Rewrite> result =
      rewrite(program, planFor(program, readText(folder / "layout.txt")));
  ASSERT_TRUE(result) << result.error().text;
  for (const Diagnostic &finding : result->findings)
    EXPECT_EQ(finding.severity, Severity::Warning) << render(finding);
  ASSERT_FALSE(result->refused());
  EXPECT_TRUE(std::ranges::any_of(result->sources.files, [](const instrument::SourceText &file) {
    return file.text != file.original;
  }));
  for (const instrument::SourceText &file : result->sources.files) {
    const std::string name =
        file.relativePath == "input.cu" ? std::string("expected.cu") : file.relativePath;
    if (std::getenv("RELAYOUT_REGENERATE"))
      writeText(folder / name, file.text);
    EXPECT_EQ(file.text, readText(folder / name)) << name;
  }
}

TEST_P(Golden, CompilesWithNvcc) {
  if (shell("PATH=$PATH:" RELAYOUT_CUDA_ROOT "/bin command -v nvcc").output.empty())
    GTEST_SKIP() << "no nvcc here";
  const fs::path folder = folderOf("golden", GetParam());
  const fs::path scratch = scratchFolder();
  for (const fs::directory_entry &entry : fs::directory_iterator(folder))
    if (entry.path().extension() == ".h" || entry.path().filename() == "expected.cu")
      fs::copy(entry.path(), scratch / entry.path().filename());
  const std::string input = readText(folder / "input.cu");
  const bool needsNewer = input.find("if constexpr") != std::string::npos ||
                          input.find("auto &[") != std::string::npos ||
                          input.find("#include <thrust/") != std::string::npos ||
                          input.find("#include <cub/") != std::string::npos ||
                          input.find("#include <cooperative_groups.h>") != std::string::npos;
  const bool needsSpans = input.find("#include <span>") != std::string::npos;
  const Ran ran =
      shell("PATH=$PATH:" RELAYOUT_CUDA_ROOT "/bin nvcc -arch=sm_90 --extended-lambda -std=c++" +
            std::string(needsSpans   ? "20"
                        : needsNewer ? "17"
                                     : "14") +
            " -c -o " + (scratch / "a.o").string() + " " + (scratch / "expected.cu").string());
  EXPECT_EQ(ran.code, 0) << ran.output;
  EXPECT_EQ(ran.output, "");
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(Cases, Golden, testing::ValuesIn(casesOf("golden")),
                         [](const auto &chosen) { return chosen.param; });

} // namespace
} // namespace relayout::rewriter::test
