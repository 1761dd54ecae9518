// SPDX-License-Identifier: Apache-2.0
// Stages that are given one parse of a program: what one of them does changes nothing for the next.
#include "support.h"

#include "relayout/instrument/clang/front_end.h"
#include "relayout/instrument/lowering.h"

#include <gtest/gtest.h>

namespace relayout::rewriter::test {
namespace {

using instrument::ParsedProgram;
using instrument::Pass;

std::vector<std::string> textsOf(const instrument::SourceSet &sources) {
  std::vector<std::string> texts;
  for (const instrument::SourceText &file : sources.files)
    texts.push_back(file.relativePath + "\n" + file.text);
  return texts;
}

std::vector<std::string> loweredTexts(const ParsedProgram &program, instrument::Probes probes) {
  const auto lowered = instrument::lowerForHost(program, probes);
  EXPECT_TRUE(lowered) << lowered.error().text;
  return lowered ? textsOf(lowered->sources) : std::vector<std::string>();
}

class SharedParse : public testing::TestWithParam<std::string> {};

TEST_P(SharedParse, ServesEveryStageAsItsOwnWould) {
  const std::filesystem::path folder = folderOf("golden", GetParam());
  const instrument::CompileCommand command = commandFor(folder / "input.cu");
  const analysis::Plan plan = planFor(command, readText(folder / "layout.txt"));
  const ParsedProgram program(command);
  const auto traced = loweredTexts(program, instrument::Probes::Trace);
  const Result<Rewrite> result = rewritePartially(program, plan);
  const auto untraced = loweredTexts(program, instrument::Probes::None);
  const Result<Rewrite> again = rewritePartially(program, plan);

  ASSERT_TRUE(result && again);
  const Result<Rewrite> alone = rewritePartially(command, plan);
  ASSERT_TRUE(alone);
  EXPECT_FALSE(alone->sources.files.empty());
  EXPECT_EQ(textsOf(result->sources), textsOf(alone->sources));
  EXPECT_EQ(textsOf(again->sources), textsOf(alone->sources));
  EXPECT_EQ(traced, loweredTexts(command, instrument::Probes::Trace));
  EXPECT_EQ(untraced, loweredTexts(command, instrument::Probes::None));
}

INSTANTIATE_TEST_SUITE_P(Cases, SharedParse,
                         testing::Values("both_passes", "plain_arrays", "templates_over_records"),
                         [](const auto &chosen) { return chosen.param; });

TEST(ParsedProgram, ParsesAPassOnce) {
  const ParsedProgram program(commandFor(folderOf("golden", "both_passes") / "input.cu"));
  const auto device = program.units(Pass::Device);
  ASSERT_TRUE(device);
  ASSERT_TRUE((**device)[0]) << "asks for __CUDA_ARCH__";
  const ParsedProgram copy = program; // NOLINT(performance-unnecessary-copy-initialization): tested
  EXPECT_EQ((**copy.units(Pass::Device))[0], (**device)[0]);
  EXPECT_EQ((**copy.units(Pass::Host))[0], (**program.units(Pass::Host))[0]);
  EXPECT_NE((**copy.units(Pass::Host))[0], (**device)[0]);
}

TEST(ParsedProgram, HasNoDevicePassOfWhatLooksTheSame) {
  const ParsedProgram program(commandFor(folderOf("golden", "soa_stream") / "input.cu"));
  const auto device = program.units(Pass::Device);
  ASSERT_TRUE(device);
  EXPECT_FALSE((**device)[0]);
}

} // namespace
} // namespace relayout::rewriter::test
