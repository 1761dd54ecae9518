// SPDX-License-Identifier: Apache-2.0
// Programs before and after, both run on the CPU executor: what they copy back to the host must be
// the same bytes in every layout, and a wrong rewrite must show.
#include "differential_programs.h"
#include "support.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::rewriter::test {
namespace {

namespace fs = std::filesystem;

/// The program rewritten to a layout, on disk; its main file.
fs::path rewriteTo(const instrument::ParsedProgram &program, const std::string &layout,
                   const fs::path &folder) {
  const Result<Rewrite> result = rewrite(program, planFor(program, layout));
  if (!result) {
    ADD_FAILURE() << render(toDiagnostic(result.error()));
    return {};
  }
  for (const Diagnostic &finding : result->findings)
    EXPECT_EQ(finding.severity, Severity::Warning) << render(finding);
  if (result->refused())
    return {};
  EXPECT_TRUE(instrument::writeSources(result->sources, (folder / "rewritten").string()));
  return folder / "rewritten" / result->sources.files.front().relativePath;
}

class Differential : public testing::TestWithParam<Program> {};

TEST_P(Differential, CopiesTheSameBytesInEveryLayout) {
  const Program &program = GetParam();
  if (lacksThrust(program.source))
    GTEST_SKIP() << "no Thrust here: '" RELAYOUT_CCCL "' is missing";
  const fs::path scratch = scratchFolder();
  const instrument::ParsedProgram source = commandFor(program.source);
  const Outcome before = runOnCpu(source, scratch / "before", program.arguments);
  EXPECT_EQ(before.code, 0) << before.output;
  EXPECT_FALSE(before.copies.empty());
  EXPECT_GT(before.copiedBytes, 0u);
  int number = 0;
  for (const char *layout : program.layouts) {
    const fs::path folder = scratch / std::to_string(number++);
    const fs::path rewritten = rewriteTo(source, layout, folder);
    ASSERT_FALSE(rewritten.empty()) << layout;
    const Outcome after = runOnCpu(rewritten, folder, program.arguments);
    EXPECT_EQ(after.code, before.code) << layout << after.output;
    EXPECT_EQ(after.copies, before.copies) << layout;
    if (!program.printsTimes) {
      EXPECT_EQ(after.output, before.output) << layout;
    }
  }
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(Programs, Differential, testing::ValuesIn(programs()),
                         [](const auto &chosen) { return std::string(chosen.param.name); });

/// One wrong spot in the rewritten program or its header.
struct Fault {
  const char *name;
  const char *file;
  const char *right;
  const char *wrong;
};

class WrongRewrite : public testing::TestWithParam<Fault> {};

TEST_P(WrongRewrite, Shows) {
  const Fault &fault = GetParam();
  const fs::path scratch = scratchFolder();
  const instrument::ParsedProgram source =
      commandFor(folderOf("golden", "soa_stream") / "input.cu");
  const Outcome before = runOnCpu(source, scratch / "before", "");
  const fs::path rewritten = rewriteTo(source, "Sample soa", scratch);
  const fs::path damaged = rewritten.parent_path() / fault.file;
  std::string text = readText(damaged);
  const std::size_t at = text.find(fault.right);
  ASSERT_NE(at, std::string::npos);
  writeText(damaged, text.replace(at, std::string(fault.right).size(), fault.wrong));
  const Outcome after = runOnCpu(rewritten, scratch / "after", "");
  EXPECT_NE(after.copies, before.copies);
  fs::remove_all(scratch);
}

INSTANTIATE_TEST_SUITE_P(
    Faults, WrongRewrite,
    testing::Values(Fault{"FieldsSwappedInStore", "sample_layout.h", "plane1_[i] = value.gain",
                          "plane1_[i] = value.value"},
                    Fault{"PlanesOverlap", "relayout_memory.h",
                          "address += (count * sizeof(T) + 255) / 256 * 256;",
                          "address += count * sizeof(T) / 2;"},
                    Fault{"OtherElement", "input.cu", "samples.gain(i)", "samples.gain(i + 1)"},
                    Fault{"OtherField", "input.cu", "samples.value(i) *", "samples.gain(i) *"}),
    [](const auto &chosen) { return std::string(chosen.param.name); });

} // namespace
} // namespace relayout::rewriter::test
