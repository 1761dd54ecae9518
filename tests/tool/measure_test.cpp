// SPDX-License-Identifier: Apache-2.0
// Which version of a program is kept, by runs that are made up.
#include "stages/measure.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>

namespace relayout::tool {
namespace {

using testing::HasSubstr;

/// Times and copies by name and run; the last ones go on. Of copies, each letter is one.
struct FakeGpu {
  struct Version {
    std::vector<double> ms;
    std::vector<std::string> copies;
  };
  std::map<std::string, Version> versions;
  std::map<std::string, std::size_t> ran = {};

  Result<TimedRun> operator()(const std::string &name) {
    const Version &version = versions[name];
    const std::size_t run = ran[name]++;
    if (version.ms.empty())
      return fail(Code::ProgramFailed, "its run ended with exit code 1");
    TimedRun timed{version.ms[std::min(run, version.ms.size() - 1)], {}};
    for (const char digest : version.copies[std::min(run, version.copies.size() - 1)])
      timed.copies.push_back({64, 0, std::string(1, digest), {}});
    return timed;
  }
};

const std::vector<std::string> kNames = {"original", "choice", "soa", "aligned-aos"};

TEST(Measure, TheFastestThatCopiesTheSameIsKept) {
  FakeGpu gpu{{{"original", {{5}, {"a"}}},
               {"choice", {{3}, {"a"}}},
               {"soa", {{2}, {"a"}}},
               {"aligned-aos", {{1}, {"b"}}}}};
  const MeasuredChoice choice = chooseByMeasure(kNames, 3, std::ref(gpu)).value();
  EXPECT_EQ(choice.best, 2u);
  EXPECT_EQ(choice.versions[2].medianMs, 2);
  EXPECT_FALSE(choice.versions[3].mayBeKept());
  EXPECT_THAT(describe(choice), HasSubstr("different bytes after the rewrite"));
  EXPECT_THAT(describe(choice), HasSubstr("<- kept"));
  EXPECT_EQ(gpu.ran["soa"], 4u) << "once to warm up";
}

TEST(Measure, TheFirstRunDoesNotCountAndOutliersDoNotDecide) {
  FakeGpu gpu{{{"original", {{100, 5, 5, 5}, {"a"}}},
               {"choice", {{1, 4, 90, 4}, {"a"}}},
               {"soa", {{1, 6, 6, 6}, {"a"}}},
               {"aligned-aos", {{1, 7, 1, 7}, {"a"}}}}};
  EXPECT_EQ(chooseByMeasure(kNames, 3, std::ref(gpu)).value().best, 1u);
}

TEST(Measure, TheOriginalStaysWhereNothingIsFasterByMoreThanNoise) {
  FakeGpu gpu{{{"original", {{2}, {"a"}}},
               {"choice", {{1.99}, {"a"}}},
               {"soa", {{2, 1.2, 1.9, 2.5}, {"a"}}},
               {"aligned-aos", {{}, {}}}}};
  const MeasuredChoice choice = chooseByMeasure(kNames, 3, std::ref(gpu)).value();
  EXPECT_EQ(choice.best, 0u);
  EXPECT_NEAR(choice.versions[2].deviationMs, 0.6, 1e-12);
  EXPECT_NEAR(noiseMs(choice.versions[0], choice.versions[1]), 0.02, 1e-12);
  EXPECT_NEAR(noiseMs(choice.versions[0], choice.versions[2]), 1.8, 1e-12);
  EXPECT_EQ(gpu.ran["aligned-aos"], 1u) << "no more time is spent on what fails";
  EXPECT_THAT(describe(choice), HasSubstr("exit code 1"));
}

TEST(Measure, WhatVariesBetweenRunsOfTheOriginalIsNotCompared) {
  FakeGpu gpu{{{"original", {{2}, {"ax", "ax", "ay"}}}, // it shows in the third run
               {"choice", {{1}, {"az"}}},
               {"soa", {{0.5}, {"bx"}}},
               {"aligned-aos", {{0.5}, {"a"}}}}};
  const MeasuredChoice choice = chooseByMeasure(kNames, 2, std::ref(gpu)).value();
  EXPECT_EQ(choice.best, 1u);
  EXPECT_EQ(choice.versions[1].comparison.varying, 1u);
  EXPECT_EQ(choice.versions[1].comparison.bytes, 64u);
  EXPECT_THAT(describe(choice.versions[1].comparison), HasSubstr("not comparable: 1 more copy"));
  EXPECT_THAT(*choice.versions[2].comparison.difference, HasSubstr("copy 1 of 2"));
  EXPECT_THAT(*choice.versions[3].comparison.difference, HasSubstr("2 device-to-host copies"));
}

TEST(Measure, AVersionThatDiffersInOneOfItsRunsIsNotKept) {
  FakeGpu gpu{{{"original", {{2}, {"a"}}}, {"choice", {{1}, {"a", "b", "a"}}}}};
  EXPECT_EQ(chooseByMeasure({"original", "choice"}, 2, std::ref(gpu)).value().best, 0u);
}

TEST(Measure, AnOriginalThatFailsIsAnError) {
  FakeGpu gpu{{{"original", {{}, {}}}}};
  EXPECT_EQ(chooseByMeasure({"original"}, 3, std::ref(gpu)).error().code, Code::ProgramFailed);
}

TEST(Measure, WhereNothingIsCopiedTheFastestIsKeptUncompared) {
  FakeGpu gpu{{{"original", {{2}, {""}}}, {"choice", {{1}, {""}}}}};
  const MeasuredChoice choice = chooseByMeasure({"original", "choice"}, 3, std::ref(gpu)).value();
  EXPECT_EQ(choice.best, 1u);
  ASSERT_TRUE(choice.notComparable.has_value());
  EXPECT_EQ(choice.notComparable->code, Code::NothingCopiedBack);
}

TEST(Measure, StatesOfSharedArraysAreNoCopies) {
  const Copies copies = {{64, 0, "ab", "sim.cu:9"},
                         {800, 0, "cd", std::string(trace::kStateOf) + "sim.cu:4"},
                         {800, 0, "ef", std::string(trace::kStateOf) + "sim.cu:4"}};
  OriginalCopies original;
  original.add(copies);
  EXPECT_EQ(describe(original.compareWith(copies)),
            "1 copy, 2 states of arrays that the host shares with kernels, 1,664 bytes, identical");
  Copies other = copies;
  other[2].digest = "00";
  EXPECT_EQ(original.compareWith(other).difference,
            "copy 3 of 3 (array allocated at sim.cu:4) has different bytes after the rewrite");
  OriginalCopies states;
  states.add({copies[1], copies[2]});
  EXPECT_EQ(describe(states.compareWith({copies[1], copies[2]})),
            "2 states of arrays that the host shares with kernels, 1,600 bytes, identical");
}

TEST(Measure, WhereAllVariesTheFastestIsKeptUncompared) {
  for (const std::string &other : {"b", "aa"}) {
    FakeGpu gpu{{{"original", {{2}, {"a", other}}}, {"choice", {{1}, {"c"}}}}};
    const MeasuredChoice choice = chooseByMeasure({"original", "choice"}, 3, std::ref(gpu)).value();
    EXPECT_EQ(choice.best, 1u);
    ASSERT_TRUE(choice.notComparable.has_value());
    EXPECT_EQ(choice.notComparable->code, Code::NothingComparable);
  }
}

TEST(Measure, CopiesAreReadFromLines) {
  const Copies copies = copiesFrom("64 00ff\n8 ab\nrubbish\n800 cd 300 8 5:3\n");
  ASSERT_EQ(copies.size(), 3u);
  EXPECT_EQ(copies[0].paddingBytes, 0u);
  EXPECT_EQ(copies[2].paddingBytes, 300u);
  EXPECT_EQ(copies[0].bytes, 64u);
  EXPECT_EQ(copies[1].digest, "ab");
}

TEST(Measure, TheReportShowsWhatWasMeasuredOfEveryGroup) {
  FakeGpu gpu{{{"original", {{4}, {"a"}}},
               {"choice", {{3}, {"a"}}},
               {"soa", {{2}, {"a"}}},
               {"aligned-aos", {{1}, {"b"}}}}};
  const MeasuredChoice choice = chooseByMeasure(kNames, 3, std::ref(gpu)).value();
  const std::string report = R"({"format": "relayout-replay-report", "groups": [{}, {}]})";
  const auto json = nlohmann::json::parse(withMeasurements(
      report, choice,
      {{"original", "original"}, {"AoSoA-32", "original"}, {"SoA", "SoA"}, {"", ""}}, 3));
  EXPECT_EQ(json["measuredRuns"], 3);
  const auto &rows = json["groups"][1]["measured"];
  ASSERT_EQ(rows.size(), 3u) << "what copied other bytes has no time";
  EXPECT_EQ(rows[0]["ms"], 4.0);
  EXPECT_EQ(rows[1]["layout"], "original");
  EXPECT_EQ(rows[2]["layout"], "SoA");
  EXPECT_EQ(rows[2]["kept"], true);
}

} // namespace
} // namespace relayout::tool
