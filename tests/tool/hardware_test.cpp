// SPDX-License-Identifier: Apache-2.0
// What the subcommands that ask about hardware say on a machine that may have none.
#include "relayout_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace relayout::test {
namespace {

using testing::HasSubstr;

TEST(Doctor, AnswersOnAnyMachine) {
  const Workplace place;
  const Outcome outcome = place.relayout("doctor");
  EXPECT_EQ(outcome.exitCode, 0);
  for (const char *part :
       {"driver", "GPU", "nvcc", "CUPTI callbacks", "CUPTI activity", "range profiling",
        "SASS metrics", "CPU executor", "C++ compiler", "CPU build"})
    EXPECT_THAT(outcome.out, HasSubstr(part));
}

TEST(Doctor, EachMissingPartHasAConsequenceAndAFix) {
  const Workplace place;
  const Outcome outcome = place.relayout("doctor --json");
  ASSERT_EQ(outcome.exitCode, 0);
  const auto json = nlohmann::json::parse(outcome.out);
  ASSERT_GE(json["result"]["parts"].size(), 10u);
  for (const auto &part : json["result"]["parts"]) {
    EXPECT_FALSE(part["found"].get<std::string>().empty()) << part;
    EXPECT_EQ(part["works"].get<bool>(), part["costs"].get<std::string>().empty()) << part;
    EXPECT_EQ(part["works"].get<bool>(), part["remedy"].get<std::string>().empty()) << part;
  }
  EXPECT_EQ(json["result"]["gpu"], json["result"]["parts"][1]["works"]);
}

TEST(Doctor, TheExecutorOfThisBuildIsFound) {
  const Workplace place;
  const auto json = nlohmann::json::parse(place.relayout("doctor --json").out);
  EXPECT_EQ(json["result"]["parts"][7]["part"], "CPU executor");
  EXPECT_TRUE(json["result"]["parts"][7]["works"]);
}

TEST(Doctor, AnyCompilerThatPrintsAVersionRuns) {
  const Workplace place;
  place.writeScript("c++", "echo 'c++ (Some System 1.2) 13.3.0'");
  const Outcome outcome = place.shell("RELAYOUT_HOST_COMPILER=./c++ relayout doctor");
  EXPECT_THAT(outcome.out, HasSubstr("./c++: c++ (Some System 1.2) 13.3.0"));
}

bool hasGpu(const Workplace &place) {
  return nlohmann::json::parse(place.relayout("doctor --json").out)["result"]["gpu"].get<bool>();
}

TEST(Calibrate, WithoutAGpuSaysSoAndWritesNothing) {
  const Workplace place;
  if (hasGpu(place))
    GTEST_SKIP() << "there is a GPU";
  const Outcome outcome = place.relayout("calibrate -o machine.json");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-M03]"));
  EXPECT_THAT(outcome.err, HasSubstr("no GPU"));
  EXPECT_FALSE(place.has("machine.json"));
}

TEST(Calibrate, WritesAFileThatTheToolReads) {
  const Workplace place;
  if (!hasGpu(place) || place.shell("command -v nvcc").exitCode != 0)
    GTEST_SKIP() << "there is no GPU, or no nvcc";
  const Outcome outcome = place.relayout("calibrate -q -o machine.json");
  ASSERT_EQ(outcome.exitCode, 0) << outcome.err;
  const auto json = nlohmann::json::parse(place.read("machine.json"));
  EXPECT_GT(json["dram_bytes_per_ns"].get<double>(), 1.0);
  EXPECT_FALSE(json["measured"]["driver"].get<std::string>().empty());
}

// The counters change nothing about the run itself; missing ones are reported and not fatal.
TEST(ProfileCounters, AProgramWithoutGpuIsReportedAsSuch) {
  const Workplace place;
  const Outcome outcome = place.relayout("profile --counters -o run.rlt -- sh -c 'echo ran'");
  EXPECT_EQ(outcome.exitCode, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "ran\n");
  const auto json = nlohmann::json::parse(place.read("run.rlt.gpu.json"));
  EXPECT_EQ(json["counters"]["program"], "sh");
  ASSERT_EQ(json["missing"].size(), 3u);
  EXPECT_EQ(json["missing"][0]["part"], "kernel times");
  EXPECT_EQ(json["missing"][1]["part"], "kernel counters");
  EXPECT_EQ(json["missing"][2]["part"], "source lines");
}

TEST(ProfileCounters, WithoutThemAProgramWithoutProbesFails) {
  const Workplace place;
  const Outcome outcome = place.relayout("profile -o run.rlt -- true");
  EXPECT_EQ(outcome.exitCode, 1);
  EXPECT_THAT(outcome.err, HasSubstr("[RL-G02]"));
}

TEST(ProfileCounters, AnOriginalNeedsCounters) {
  const Workplace place;
  EXPECT_EQ(place.relayout("profile --original ./plain -- true").exitCode, 2);
}

} // namespace
} // namespace relayout::test
