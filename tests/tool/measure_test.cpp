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

/// Times and copies by name and run; the last ones go on.
struct FakeGpu {
  struct Version {
    std::vector<double> ms;
    std::vector<std::string> copies;
  };
  std::map<std::string, Version> versions;
  std::map<std::string, std::size_t> ran;

  Result<TimedRun> operator()(const Contender &contender) {
    const Version &version = versions[contender.name];
    const std::size_t run = ran[contender.name]++;
    if (version.ms.empty())
      return fail(Code::NotMeasured, "nvcc failed");
    return TimedRun{version.ms[std::min(run, version.ms.size() - 1)],
                    version.copies[std::min(run, version.copies.size() - 1)]};
  }
};

const std::vector<Contender> kContenders = {
    {"original", {}}, {"choice", {}}, {"soa", {}}, {"aligned-aos", {}}};

TEST(Measure, TheFastestThatCopiesTheSameIsKept) {
  FakeGpu gpu{{{"original", {{5}, {"a"}}},
               {"choice", {{3}, {"a"}}},
               {"soa", {{2}, {"a"}}},
               {"aligned-aos", {{1}, {"b"}}}},
              {}};
  const MeasuredChoice choice = chooseByMeasure(kContenders, 3, std::ref(gpu)).value();
  EXPECT_EQ(choice.best, 2u);
  EXPECT_EQ(choice.contenders[2].medianMs, 2);
  EXPECT_THAT(choice.contenders[3].disqualified, HasSubstr("other bytes"));
  EXPECT_THAT(describe(choice), HasSubstr("<- kept"));
  EXPECT_EQ(gpu.ran["soa"], 4u) << "once to warm up";
  EXPECT_EQ(gpu.ran["aligned-aos"], 1u) << "no more time is spent on it";
}

TEST(Measure, TheFirstRunDoesNotCountAndOutliersDoNotDecide) {
  FakeGpu gpu{{{"original", {{100, 5, 5, 5}, {"a"}}},
               {"choice", {{1, 4, 90, 4}, {"a"}}},
               {"soa", {{1, 6, 6, 6}, {"a"}}},
               {"aligned-aos", {{1, 7, 1, 7}, {"a"}}}},
              {}};
  EXPECT_EQ(chooseByMeasure(kContenders, 3, std::ref(gpu)).value().best, 1u);
}

TEST(Measure, TheOriginalStaysWhereNothingIsFaster) {
  FakeGpu gpu{{{"original", {{2}, {"a"}}},
               {"choice", {{2}, {"a"}}},
               {"soa", {{3}, {"a"}}},
               {"aligned-aos", {{}, {}}}},
              {}};
  const MeasuredChoice choice = chooseByMeasure(kContenders, 3, std::ref(gpu)).value();
  EXPECT_EQ(choice.best, 0u);
  EXPECT_THAT(choice.contenders[3].disqualified, HasSubstr("nvcc failed"));
}

TEST(Measure, AnOriginalThatCannotBeComparedIsAnError) {
  FakeGpu silent{{{"original", {{2}, {""}}}}, {}};
  EXPECT_THAT(chooseByMeasure({{"original", {}}}, 3, std::ref(silent)).error().text,
              HasSubstr("copies nothing back"));
  FakeGpu restless{{{"original", {{2}, {"a", "b"}}}}, {}};
  EXPECT_THAT(chooseByMeasure({{"original", {}}}, 3, std::ref(restless)).error().text,
              HasSubstr("from run to run"));
  FakeGpu broken{{{"original", {{}, {}}}}, {}};
  EXPECT_EQ(chooseByMeasure({{"original", {}}}, 3, std::ref(broken)).error().code,
            Code::NotMeasured);
}

TEST(Measure, TheReportShowsWhatWasMeasuredOfEveryGroup) {
  FakeGpu gpu{{{"original", {{4}, {"a"}}},
               {"choice", {{3}, {"a"}}},
               {"soa", {{2}, {"a"}}},
               {"aligned-aos", {{1}, {"b"}}}},
              {}};
  const MeasuredChoice choice = chooseByMeasure(kContenders, 3, std::ref(gpu)).value();
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
