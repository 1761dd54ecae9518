// SPDX-License-Identifier: Apache-2.0
// Tests of the report, as text and as JSON.
#include "relayout/analysis/report/nakai_report.h"

#include "report/text_table.h"
#include "traced_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace relayout::analysis {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::Not;

/// Density and force loops of equal count over shared fields, and an integration outside loops.
class Report : public testing::Test {
protected:
  void SetUp() override {
    record = program.record("sim::Particle",
                            {"px", "py", "pz", "vx", "vy", "vz", "ax", "ay", "az", "prs", "dns"});
    group = program.group(record, "main::particles");
    const auto density = program.kernel("density");
    const auto force = program.kernel("force");
    const auto integrate = program.kernel("integrate");
    const auto densityLoop = program.loop();
    const auto forceLoop = program.loop();
    const auto velocityLoop = program.loop();
    for (const trace::Index field : {0u, 1u, 2u, 10u})
      program.execute(density, program.site(record, group, field, densityLoop), 1234567,
                      {broadcast()});
    for (const trace::Index field : {0u, 1u, 2u, 9u})
      program.execute(force, program.site(record, group, field, forceLoop), 1234567, {scattered()});
    for (const trace::Index field : {3u, 4u, 5u})
      program.execute(force, program.site(record, group, field, velocityLoop), 1234567,
                      {scattered()});
    for (const trace::Index field : {6u, 7u, 8u})
      program.execute(integrate,
                      program.site(record, group, field, trace::kNone, trace::AccessKind::Write),
                      400, {warpAccess([](unsigned lane) { return lane * 44; })});
    unused = program.site(record, group, 3);
    program.trace().blocksExecuted = 3ULL * 64;
    program.trace().blocksSampled = 3;
  }
  NakaiAnalysis analyze() const {
    Result<NakaiAnalysis> analysis = analyzeNakai({program.trace(), program.source()});
    EXPECT_TRUE(analysis.has_value());
    return std::move(*analysis);
  }

  TracedProgram program;
  trace::Index record = trace::kNone;
  trace::Index group = trace::kNone;
  trace::Index unused = trace::kNone;
};

TEST_F(Report, ShowsTheWholeDecision) {
  const std::string text = renderReport(analyze());
  EXPECT_THAT(text, HasSubstr("sim::Particle (44 B), arrays main::particles"));
  EXPECT_THAT(text, HasSubstr("ShareCoalesce"));
  EXPECT_THAT(text, HasSubstr("1,234,567"));
  EXPECT_THAT(text, HasSubstr("Sum of weights: +13,580,162.0")); // 11 * 1234567 - 3 * 400 * 2/32
  EXPECT_THAT(text, HasSubstr("outside loops              400  ax ay az"));
  EXPECT_THAT(text, HasSubstr("Loops of equal count merged within each kernel"));
  EXPECT_THAT(text, HasSubstr("count 1,234,567, 32 B: px py pz vx vy vz prs dns"));
  EXPECT_THAT(text, HasSubstr("Chosen: {px py pz vx vy vz prs dns} {ax ay az}"));
  EXPECT_THAT(text, HasSubstr("Memory: 48 B an element, 44 B in the source"));
  EXPECT_THAT(text, HasSubstr("192, of which 3 sampled"));
  EXPECT_THAT(text, HasSubstr("not run   1 of 15 sites"));
}

TEST_F(Report, AccountsForAllAccesses) {
  const std::string text = renderReport(analyze());
  EXPECT_THAT(text, HasSubstr("13,581,437 warp accesses to records = 14 recorded + 13,581,423 "
                              "counted only"));
}

TEST_F(Report, FitsTheTerminal) {
  std::istringstream lines(renderReport(analyze()));
  for (std::string line; std::getline(lines, line);) {
    EXPECT_LE(line.size(), 100u) << line;
    EXPECT_TRUE(line.empty() || line.back() != ' ') << line;
  }
}

TEST_F(Report, OrdersRowsByTheSizeOfTheWeightAndCutsTheTail) {
  const std::string cut = renderReport(analyze(), {.maxRows = 12});
  EXPECT_THAT(cut, HasSubstr("... 2 more rows, -50.0 in all (--all)"));
  EXPECT_LT(cut.find("+1,234,567.0"), cut.find("-25.0"));
  EXPECT_THAT(renderReport(analyze(), {.maxRows = 0}), Not(HasSubstr("more rows")));
  EXPECT_THAT(renderReport(analyze(), {.maxRows = 14}), Not(HasSubstr("more rows")));
}

TEST_F(Report, MarksAClassTakenFromAnotherKernel) {
  EXPECT_THAT(renderReport(analyze()), Not(HasSubstr("not recorded in this kernel")));
  program.execute(program.kernel("late"), 0, 5);
  const std::string text = renderReport(analyze());
  EXPECT_THAT(text, HasSubstr("ShareCoalesce *"));
  EXPECT_THAT(text, HasSubstr("* not recorded in this kernel"));
}

TEST_F(Report, NamesAccessesThatNoGroupOwns) {
  const auto lonely = program.record("Lonely", {"a"});
  program.execute(0, program.site(lonely, trace::kNone, 0), 77, {streamed()});
  const std::string text = renderReport(analyze());
  EXPECT_THAT(text, HasSubstr("Accesses to arrays that are not known"));
  EXPECT_THAT(text, HasSubstr("Lonely.a"));
}

TEST_F(Report, JsonHasTheSameFacts) {
  const Json json = Json::parse(reportJson(analyze()));
  ASSERT_EQ(json["groups"].size(), 1u);
  const Json &only = json["groups"][0];
  EXPECT_EQ(only["record"], "sim::Particle");
  EXPECT_EQ(only["sites"].size(), 14u);
  EXPECT_DOUBLE_EQ(only["weightSum"].get<double>(), 11 * 1234567 - 3 * 25.0);
  EXPECT_EQ(only["layout"]["name"], "{px py pz vx vy vz prs dns} {ax ay az}");
  EXPECT_EQ(only["layout"]["elementBytes"], 48);
  EXPECT_EQ(only["tree"].size(), 3u);
  EXPECT_EQ(only["mergedAcrossKernels"].size(), 2u);
  EXPECT_EQ(only["keep"], false);
  double sum = 0;
  for (const Json &row : only["sites"]) {
    EXPECT_EQ(row["recorded"].get<std::uint64_t>() + row["dropped"].get<std::uint64_t>(),
              row["warpAccesses"].get<std::uint64_t>());
    sum += row["weight"].get<double>();
  }
  EXPECT_DOUBLE_EQ(sum, only["weightSum"].get<double>());
  ASSERT_EQ(json["sitesNeverExecuted"].size(), 1u);
  EXPECT_EQ(json["sitesNeverExecuted"][0]["site"], program.trace().sites.sites[unused].id);
}

TEST_F(Report, IsTheSameTextEveryTime) {
  EXPECT_EQ(renderReport(analyze()), renderReport(analyze()));
  EXPECT_EQ(reportJson(analyze()), reportJson(analyze()));
}

TEST(TextTable, AlignsColumns) {
  TextTable table({{"name", TextTable::Align::Left}, {"n", TextTable::Align::Right}});
  table.addRow({"a", "100"});
  table.addRow({"longer", "7"});
  EXPECT_EQ(table.render(2), "  name      n\n"
                             "  a       100\n"
                             "  longer    7\n");
}

TEST(TextTable, WritesNumbersForPeople) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567890), "1,234,567,890");
  EXPECT_EQ(signedNumber(1234.56), "+1,234.6");
  EXPECT_EQ(signedNumber(-100), "-100.0");
  EXPECT_EQ(signedNumber(-1000000), "-1,000,000.0");
  EXPECT_EQ(signedNumber(0), "0.0");
}

TEST(TextTable, WritesTimesWithTheDigitsThatTheLargestHas) {
  EXPECT_EQ(milliseconds(1234.5678e6, 9922.27e6), "1234.6");
  EXPECT_EQ(milliseconds(4.4529e6, 9922.27e6), "4.5");
  EXPECT_EQ(milliseconds(4.4529e6, 4.4529e6), "4.4529");
  EXPECT_EQ(milliseconds(12345678e6, 12345678e6), "12345678");
  EXPECT_EQ(milliseconds(1500, 1500), "0.001500");
  EXPECT_EQ(milliseconds(0, 0), "0.000000");
}

TEST(TextTable, ShortensInTheMiddle) {
  EXPECT_EQ(shortened("short", 10), "short");
  EXPECT_EQ(shortened("abcdefghijklmnop", 12), "abc...klmnop");
}

TEST(TextTable, ShortensNamesSoThatTheyStayApart) {
  const std::vector<std::string> names = {"kernel_forward_step_scaled",
                                          "kernel_backward_step_scaled", "add"};
  EXPECT_EQ(shortenedAmong(names, 0, 24), "kernel_f...d_step_scaled");
  EXPECT_EQ(shortenedAmong(names, 1, 24), "kernel_b...d_step_scaled");
  EXPECT_EQ(shortenedAmong(names, 2, 24), "add");
  EXPECT_EQ(shortenedAmong({"abcdefghijk_1", "abcdefghijk_2"}, 1, 8), "a...jk_2");
}

TEST(TextTable, WrapsAtSpaces) {
  EXPECT_EQ(wrapped("one two three", 2, 9), "  one two\n  three\n");
  EXPECT_EQ(wrapped("averyverylongword x", 2, 9), "  averyverylongword\n  x\n");
}

} // namespace
} // namespace relayout::analysis
