// SPDX-License-Identifier: Apache-2.0
// Runs under counters, made up: what is added up, what is left out, and what is said to be missing.
#include "relayout/gpu/counter_report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace relayout::gpu {
namespace {

using Json = nlohmann::json;

constexpr const char *kStep = "_Z4stepP4Body";

CountedInstruction row(std::uint32_t offset, const char *metric, std::uint64_t value) {
  return {7, kStep, offset, {{metric, value}}};
}

std::optional<LinePlace> tenBytesALine(const CountedInstruction &instruction) {
  return LinePlace{"sim.cu", instruction.offset / 10};
}

TEST(CounterNames, AreNamedOnce) {
  const std::set<std::string> ranges(kRangeMetrics.begin(), kRangeMetrics.end());
  const std::set<std::string> lines(kLineMetrics.begin(), kLineMetrics.end());
  EXPECT_EQ(ranges.size(), kRangeMetrics.size());
  EXPECT_EQ(lines.size(), kLineMetrics.size());
}

TEST(CounterModes, AreReadAsTheyAreWritten) {
  for (const CounterMode mode : {CounterMode::Times, CounterMode::Ranges, CounterMode::Lines})
    EXPECT_EQ(counterModeNamed(counterModeName(mode)), mode);
  EXPECT_FALSE(counterModeNamed("everything"));
}

TEST(CountedLaunches, AMillionCostTwoDozen) {
  int counted = 0;
  for (std::uint64_t earlier = 0; earlier < 1'000'000; ++earlier)
    counted += isCountedLaunch(earlier);
  EXPECT_EQ(counted, 22);
  EXPECT_TRUE(isCountedLaunch(0) && isCountedLaunch(3) && isCountedLaunch(1u << 19));
}

TEST(CounterReport, SumsCountedLaunchesAndTellsHowManyThereWere) {
  CounterReport report(CounterMode::Ranges);
  report.gpu("NVIDIA H100");
  for (std::uint64_t i = 0; i < 6; ++i)
    EXPECT_EQ(report.launched("_Z4stepP4Body"), i);
  // Above 2^53: no counter goes through a double.
  report.counted("_Z4stepP4Body", {{"sectors", 9'007'199'254'740'993u}});
  report.counted("_Z4stepP4Body", {{"sectors", 2}, {"bytes", 5}});
  const Json json = Json::parse(report.toJson());
  const Json &kernel = json["kernels"][0];
  EXPECT_EQ(kernel["kernel"], "step(Body*)");
  EXPECT_EQ(kernel["launches"], 6);
  EXPECT_EQ(kernel["counted_launches"], 2);
  EXPECT_EQ(kernel["counters"]["sectors"].get<std::uint64_t>(), 9'007'199'254'740'995u);
  EXPECT_EQ(kernel["counters"]["bytes"], 5);
  EXPECT_FALSE(kernel["counters"].contains("other"));
}

TEST(CounterReport, TimesHaveTheirExtremes) {
  CounterReport report(CounterMode::Times);
  for (const std::uint64_t ns : {30u, 10u, 20u})
    report.ran("kernel", ns);
  const Json times = Json::parse(report.toJson())["kernel_times"][0];
  EXPECT_EQ(times["all_ns"], 60);
  EXPECT_EQ(times["least_ns"], 10);
  EXPECT_EQ(times["most_ns"], 30);
  EXPECT_EQ(times["launches"], 3);
}

TEST(CounterReport, JoinsTheRowsOfAnInstruction) {
  CounterReport report(CounterMode::Lines);
  report.executed(kStep, 1,
                  {row(10, kLoads, 4), row(16, kStores, 8), row(10, kSectors, 16),
                   row(10, kThreads, 128), row(16, kSectors, 32), row(16, kThreads, 200)},
                  tenBytesALine);
  const Json lines = Json::parse(report.toJson())["lines"];
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["kind"], "read");
  EXPECT_EQ(lines[0]["line"], 1);
  EXPECT_EQ(lines[0]["kernel"], "step(Body*)");
  EXPECT_EQ(lines[0]["warp_instructions"], 4);
  EXPECT_EQ(lines[0]["sectors"], 16);
  EXPECT_EQ(lines[0]["thread_instructions"], 128);
  EXPECT_EQ(lines[1]["kind"], "write");
  EXPECT_EQ(lines[1]["sectors"], 32);
}

TEST(CounterReport, AddsUpTheInstructionsOfALine) {
  CounterReport report(CounterMode::Lines);
  report.executed(
      kStep, 1,
      {row(10, kLoads, 4), row(14, kLoads, 4), row(18, kReductions, 1), row(19, kAtomics, 2)},
      tenBytesALine);
  const Json lines = Json::parse(report.toJson())["lines"];
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["kind"], "atomic");
  EXPECT_EQ(lines[0]["warp_instructions"], 3);
  EXPECT_EQ(lines[1]["kind"], "read");
  EXPECT_EQ(lines[1]["warp_instructions"], 8);
  EXPECT_EQ(lines[1]["machine_instructions"], 2);
}

TEST(CounterReport, SumsTheLaunchesOfALineAndTellsHowManyWereCounted) {
  CounterReport report(CounterMode::Lines);
  for (int launch = 0; launch < 5; ++launch)
    report.launched(kStep);
  report.executed(kStep, 1, {row(10, kLoads, 4), row(14, kLoads, 4)}, tenBytesALine);
  report.executed(kStep, 1, {row(10, kLoads, 6)}, tenBytesALine);
  const Json line = Json::parse(report.toJson())["lines"][0];
  EXPECT_EQ(line["warp_instructions"], 14);
  EXPECT_EQ(line["machine_instructions"], 2);
  EXPECT_EQ(line["launches"], 5);
  EXPECT_EQ(line["counted_launches"], 2);
}

TEST(CounterReport, NamesTheKernelsWhoseLinesItDidNotCount) {
  CounterReport report(CounterMode::Lines);
  for (const char *symbol : {kStep, "_Z4hide", kStep, "_Z4seek"})
    report.launched(symbol);
  report.executed(kStep, 2, {row(10, kLoads, 4)}, tenBytesALine);
  const std::string text = report.toJson();
  EXPECT_EQ(uncountedKernels(text), (std::vector<std::string>{"_Z4hide", "_Z4seek"}));
  EXPECT_EQ(Json::parse(text)["lines"][0]["counted_launches"], 2);
  EXPECT_TRUE(uncountedKernels("").empty());
  EXPECT_TRUE(uncountedKernels(CounterReport(CounterMode::Ranges).toJson()).empty());
}

TEST(CounterReport, KeepsApartWhatOnlyLooksAlike) {
  CounterReport report(CounterMode::Lines);
  CountedInstruction other = row(10, kLoads, 100);
  other.cubin = 8; // the same offset in other code
  report.executed(kStep, 1, {row(10, kLoads, 4), other}, tenBytesALine);
  const Json lines = Json::parse(report.toJson())["lines"];
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["machine_instructions"], 2);
  EXPECT_EQ(lines[0]["warp_instructions"], 104);
}

TEST(CounterReport, LeavesOutWhatTouchesNoMemoryAndKeepsWhatHasNoLine) {
  CounterReport report(CounterMode::Lines);
  report.executed(kStep, 1, {row(10, kThreads, 32), row(20, kLoads, 3)},
                  [](const CountedInstruction &) { return std::nullopt; });
  const Json lines = Json::parse(report.toJson())["lines"];
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["line"], 0);
  EXPECT_EQ(lines[0]["file"], "");
  EXPECT_EQ(lines[0]["warp_instructions"], 3);
}

TEST(CounterReport, SaysWhatIsMissingOnce) {
  CounterReport report(CounterMode::Ranges);
  report.missing("dram__bytes_read.sum", "not on this chip");
  report.missing("dram__bytes_read.sum", "not on this chip");
  EXPECT_EQ(Json::parse(report.toJson())["missing"].size(), 1u);
}

TEST(MergedCounters, StandInTheReportOfTheTrace) {
  CounterReport times(CounterMode::Times), ranges(CounterMode::Ranges);
  times.ran("kernel", 5);
  ranges.gpu("NVIDIA H200");
  ranges.launched("kernel");
  ranges.missing("kernel counters", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES");
  const auto merged =
      mergeCounters(R"({"machine": "H200", "missing": [{"part": "allocations", "why": "w"}]})",
                    "./sim", {times.toJson(), ranges.toJson()});
  ASSERT_TRUE(merged);
  const Json json = Json::parse(*merged);
  EXPECT_EQ(json["machine"], "H200");
  EXPECT_EQ(json["counters"]["program"], "./sim");
  EXPECT_EQ(json["counters"]["gpu"], "NVIDIA H200");
  EXPECT_EQ(json["counters"]["kernel_times"].size(), 1u);
  EXPECT_EQ(json["counters"]["kernels"].size(), 1u);
  EXPECT_FALSE(json["counters"].contains("lines"));
  ASSERT_EQ(json["missing"].size(), 2u);
  EXPECT_EQ(json["missing"][1]["part"], "kernel counters");
}

TEST(MergedCounters, JoinTheLinesOfSeveralRunsAndSayOnceWhatAllLack) {
  std::vector<std::string> runs;
  for (const char *symbol : {"_Z4hide", "_Z4seek"}) {
    CounterReport report(CounterMode::Lines);
    report.launched(symbol);
    report.executed(symbol, 1, {row(10, kLoads, 4)}, tenBytesALine);
    report.missing("source lines", "kernels inside a graph are not counted one by one");
    runs.push_back(report.toJson());
  }
  const Json json = Json::parse(*mergeCounters("", "./sim", runs));
  EXPECT_EQ(json["counters"]["lines"].size(), 2u);
  EXPECT_EQ(json["missing"].size(), 1u);
}

TEST(MergedCounters, NeedNoTrace) {
  const auto merged = mergeCounters("", "./sim", {CounterReport(CounterMode::Lines).toJson()});
  ASSERT_TRUE(merged);
  EXPECT_TRUE(Json::parse(*merged)["counters"]["lines"].empty());
}

TEST(MergedCounters, RefuseWhatIsNoReport) {
  EXPECT_FALSE(mergeCounters("[1, 2]", "./sim", {}));
  EXPECT_FALSE(mergeCounters("not JSON", "./sim", {}));
  EXPECT_FALSE(mergeCounters("", "./sim", {"{\"cut"}));
}

} // namespace
} // namespace relayout::gpu
