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
  EXPECT_STREQ(kGraphMetrics.back(), "smsp__inst_executed.sum") << "no patched code in graphs";
}

TEST(CounterModes, AreReadAsTheyAreWritten) {
  for (const CounterMode mode :
       {CounterMode::Times, CounterMode::Ranges, CounterMode::Graphs, CounterMode::Lines})
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
    report.ran("kernel", ns, ns == 20);
  const Json times = Json::parse(report.toJson())["kernel_times"][0];
  EXPECT_EQ(times["all_ns"], 60);
  EXPECT_EQ(times["least_ns"], 10);
  EXPECT_EQ(times["most_ns"], 30);
  EXPECT_EQ(times["launches"], 3);
  EXPECT_EQ(times["launches_in_graphs"], 1);
}

TEST(CounterReport, JoinsTheRowsOfAnInstruction) {
  CounterReport report(CounterMode::Lines);
  report.executed({row(10, kLoads, 4), row(16, kStores, 8), row(10, kSectors, 16),
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

TEST(CounterReport, SumsTheContextsOfALineAndTellsHowManyLaunchesWereCounted) {
  CounterReport report(CounterMode::Lines);
  for (int launch = 0; launch < 5; ++launch)
    report.launched(kStep);
  report.counting(kStep, 2);
  report.executed({row(10, kLoads, 4), row(14, kLoads, 4)}, tenBytesALine);
  report.executed({row(10, kLoads, 6)}, tenBytesALine);
  const Json line = Json::parse(report.toJson())["lines"][0];
  EXPECT_EQ(line["warp_instructions"], 14);
  EXPECT_EQ(line["machine_instructions"], 2);
  EXPECT_EQ(line["launches"], 5);
  EXPECT_EQ(line["counted_launches"], 2);
}

GraphContents twoSteps() { return {"two steps", {{kStep, 2}, {"_Z4hidev", 1}}}; }

std::vector<std::string> partsMissing(const CounterReport &report) {
  std::vector<std::string> parts;
  const Json json = Json::parse(report.toJson());
  for (const Json &row : json["missing"])
    parts.push_back(row["part"]);
  return parts;
}

TEST(CounterReport, LinesCountTheLaunchesInsideGraphsToo) {
  CounterReport report(CounterMode::Lines);
  report.launched(kStep);
  for (int launch = 0; launch < 3; ++launch)
    report.graphLaunched(twoSteps());
  report.counting(kStep, 7);
  report.executed({row(10, kLoads, 28)}, tenBytesALine);
  const Json json = Json::parse(report.toJson());
  EXPECT_EQ(json["lines"][0]["launches"], 7);
  EXPECT_EQ(json["lines"][0]["counted_launches"], 7);
  EXPECT_TRUE(json["missing"].empty());
}

TEST(CounterReport, NamesTheKernelsOfWhichNoInstructionIsKnown) {
  CounterReport report(CounterMode::Lines);
  for (const char *symbol : {kStep, "_Z4hidev"}) {
    report.launched(symbol);
    report.counting(symbol, 1);
  }
  report.executed({row(10, kLoads, 4)}, tenBytesALine);
  EXPECT_EQ(partsMissing(report), std::vector<std::string>{"source lines of hide()"});
}

TEST(CounterReport, EachKernelInsideAGraphHasAReason) {
  CounterReport report(CounterMode::Ranges);
  report.launched(kStep);
  EXPECT_FALSE(hasGraphs(report.toJson()));
  for (int launch = 0; launch < 3; ++launch)
    report.graphLaunched(twoSteps());
  EXPECT_EQ(partsMissing(report), (std::vector<std::string>{"kernel counters of hide()",
                                                            "kernel counters of step(Body*)"}));
  const Json json = Json::parse(report.toJson());
  EXPECT_NE(json["missing"][1]["why"].get<std::string>().find("6 launches in graphs"),
            std::string::npos);
  EXPECT_EQ(json["kernels"][1]["launches"], 1);
  EXPECT_EQ(json["kernels"][1]["launches_in_graphs"], 6);
  EXPECT_TRUE(hasGraphs(report.toJson()));
}

TEST(CounterReport, AGraphIsCountedInPassesUntilItIsWhole) {
  CounterReport report(CounterMode::Graphs);
  EXPECT_TRUE(report.graphLaunched(twoSteps()));
  report.graphCounted(twoSteps(), false, {{"sectors", 4}});
  EXPECT_EQ(partsMissing(report),
            (std::vector<std::string>{"operations of graphs",
                                      "counters of a graph (hide(), 2 x step(Body*))"}));
  EXPECT_TRUE(report.graphLaunched(twoSteps()));
  report.graphCounted(twoSteps(), true, {{"sectors", 4}, {"bytes", 128}});
  EXPECT_FALSE(report.graphLaunched(twoSteps())) << "all is known";
  EXPECT_EQ(partsMissing(report), std::vector<std::string>{"operations of graphs"});
  const Json json = Json::parse(report.toJson());
  ASSERT_EQ(json["graphs"].size(), 1u);
  EXPECT_EQ(json["graphs"][0]["launches"], 3);
  EXPECT_EQ(json["graphs"][0]["counted_launches"], 1);
  EXPECT_EQ(json["graphs"][0]["counters"], Json({{"sectors", 4}, {"bytes", 128}}));
  EXPECT_EQ(json["graphs"][0]["kernels"][1], Json({{"kernel", "step(Body*)"}, {"nodes", 2}}));
}

TEST(CounterReport, SaysWhichGraphsHoldWhatItCannotKnow) {
  CounterReport report(CounterMode::Graphs);
  GraphContents graph = twoSteps();
  graph.isAll = false;
  report.graphLaunched(graph);
  report.graphCounted(graph, true, {{"sectors", 4}});
  EXPECT_EQ(partsMissing(report).back(), "kernels of a graph (hide(), 2 x step(Body*))");
}

TEST(CounterReport, GraphsTakeBoundedMemory) {
  CounterReport report(CounterMode::Graphs);
  for (std::size_t i = 0; i < kMostGraphs + 10; ++i)
    EXPECT_EQ(report.graphLaunched({std::to_string(i), {{kStep, 1}}}), i < kMostGraphs);
  const Json json = Json::parse(report.toJson());
  EXPECT_EQ(json["graphs"].size(), kMostGraphs);
  EXPECT_EQ(partsMissing(report).front(), "graphs");
}

TEST(CounterReport, KeepsApartWhatOnlyLooksAlike) {
  CounterReport report(CounterMode::Lines);
  CountedInstruction other = row(10, kLoads, 100);
  other.cubin = 8; // the same offset in other code
  report.executed({row(10, kLoads, 4), other}, tenBytesALine);
  const Json lines = Json::parse(report.toJson())["lines"];
  ASSERT_EQ(lines.size(), 1u);
  EXPECT_EQ(lines[0]["machine_instructions"], 2);
  EXPECT_EQ(lines[0]["warp_instructions"], 104);
}

TEST(CounterReport, LeavesOutWhatTouchesNoMemoryAndKeepsWhatHasNoLine) {
  CounterReport report(CounterMode::Lines);
  report.executed({row(10, kThreads, 32), row(20, kLoads, 3)},
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

TEST(MergedCounters, AreInTheReportOfTheTrace) {
  CounterReport times(CounterMode::Times), ranges(CounterMode::Ranges);
  times.ran("kernel", 5, false);
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
    report.executed({row(10, kLoads, 4)}, tenBytesALine);
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
