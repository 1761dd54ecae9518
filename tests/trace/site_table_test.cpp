// SPDX-License-Identifier: Apache-2.0
// Tests of the site table's JSON.
#include "sample_trace.h"

#include <functional>

namespace relayout::trace {
namespace {

std::string codeAfter(const std::function<void(SiteTable &)> &change) {
  SiteTable table = sampleTable();
  change(table);
  const Result<SiteTable> read = siteTableFromJson(toJson(table));
  return read ? "" : codeName(read.error().code);
}

TEST(SiteTable, ComesBackFromJson) {
  const SiteTable table = sampleTable();
  const Result<SiteTable> read = siteTableFromJson(toJson(table));
  ASSERT_TRUE(read.has_value()) << read.error().text;
  EXPECT_EQ(toJson(*read), toJson(table));
  EXPECT_EQ(read->records[0].fields[1].extents, "[3]");
  EXPECT_EQ(read->records[0].fields[1].count, 3u);
  EXPECT_EQ(read->sites[2].kind, AccessKind::Atomic);
  EXPECT_EQ(read->sites[2].group, kNone);
  EXPECT_EQ(read->sites[2].field, kNone);
  EXPECT_EQ(read->sites[0].loop, kNone);
  EXPECT_EQ(read->reaches[1].loop, 0u);
  EXPECT_EQ(read->groups[0].place, (SourcePlace{"sample.cu", 20, 9}));
}

TEST(SiteTable, KeepsOperationsAndOutlines) {
  const Result<SiteTable> read = siteTableFromJson(toJson(sampleTable()));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->loops[0].operations, sampleOperations());
  EXPECT_EQ(read->kernels[0].operations, sampleOperations());
  EXPECT_EQ(read->kernels[0].liveWords, 27u);
  ASSERT_EQ(read->outlines.size(), 2u);
  EXPECT_EQ(read->outlines[0].math, (FloatMath{true, false, true}));
  EXPECT_FALSE(read->outlines[0].isKernel);
  EXPECT_EQ(read->outlines[1].steps, sampleOutline().steps);
}

TEST(SiteTable, RefusesOutlinesThatAreNone) {
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.outlines[1].steps[0] = code::Access{3}; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) {
              t.outlines[1].steps[1] = code::Loop{1, {}, {}};
            }),
            "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.outlines[1].steps[0] = code::Call{1}; }), "RL-T05")
      << "calls itself";
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.outlines[0].steps = {code::LoopEnd{}}; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.outlines[0].steps = {code::Unreachable{}}; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.loops[0].operations.counts.begin()->second = -1; }),
            "RL-T05");
}

TEST(SiteTable, RefusesAlignmentsThatAreNone) {
  for (const std::uint32_t alignment : {0u, 3u})
    EXPECT_EQ(codeAfter([&](SiteTable &t) { t.records[0].fields[0].alignment = alignment; }),
              "RL-T05");
}

TEST(SiteTable, RefusesAnotherVersion) {
  std::string text = toJson(sampleTable());
  const std::string version = "\"version\": 7";
  ASSERT_NE(text.find(version), std::string::npos);
  text.replace(text.find(version), version.size(), "\"version\": 1");
  const Result<SiteTable> read = siteTableFromJson(text);
  ASSERT_FALSE(read.has_value());
  EXPECT_EQ(read.error().code, Code::InvalidSiteTable);
  EXPECT_NE(read.error().text.find("version 1"), std::string::npos) << read.error().text;
}

TEST(Operations, OfAChoiceOnlyWaysThatMayBeTheLongestAreLeft) {
  const auto operations = [](double additions, double products) {
    Operations result;
    result.add({OperationKind::Add, ValueType::Single, {}}, additions);
    result.add({OperationKind::Multiply, ValueType::Single, {}}, products);
    return result;
  };
  EXPECT_TRUE(choiceOf({{}, {}}).isEmpty());
  EXPECT_EQ(choiceOf({operations(2, 1), {}}), operations(2, 1));
  EXPECT_EQ(choiceOf({operations(1, 1), operations(2, 1)}), operations(2, 1));
  const Operations both = choiceOf({operations(2, 1), operations(1, 3)});
  ASSERT_EQ(both.choices.size(), 1u);
  EXPECT_EQ(both.choices[0].ways.size(), 2u);
  EXPECT_EQ(both.counts, operations(1, 1).counts) << "what both ways have is in front";
  EXPECT_EQ(both.choices[0].ways[0], operations(1, 0));
  Operations twice = both;
  twice.add(both);
  ASSERT_EQ(twice.choices.size(), 1u);
  EXPECT_EQ(twice.choices[0].times, 2);
}

TEST(SiteTable, FindsSitesByProbeId) {
  const SiteTable table = sampleTable();
  EXPECT_EQ(findSite(table, 1), Index{0});
  EXPECT_EQ(findSite(table, 7), Index{2});
  EXPECT_FALSE(findSite(table, 2).has_value());
  EXPECT_FALSE(findSite(table, 8).has_value());
  EXPECT_FALSE(findSite({}, 1).has_value());
}

TEST(SiteTable, TakesBytesThatAreNoUtf8) {
  SiteTable table = sampleTable();
  table.sourceFile = "caf\xe9.cu";
  EXPECT_TRUE(siteTableFromJson(toJson(table)).has_value());
}

TEST(SiteTable, RefusesWhatIsNotOne) {
  for (const char *text : {"", "{", "[]", "null", "3", "{}", "{\"format\":\"relayout-sites\"}",
                           "{\"format\":\"relayout-plan\",\"version\":1}"}) {
    const Result<SiteTable> read = siteTableFromJson(text);
    ASSERT_FALSE(read.has_value()) << text;
    EXPECT_EQ(read.error().code, Code::InvalidSiteTable) << text;
  }
}

TEST(SiteTable, RefusesIndicesThatLeadNowhere) {
  EXPECT_EQ(codeAfter([](SiteTable &) {}), "");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.groups[0].record = 1; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.groups[0].record = kNone; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.loops[0].parent = 0; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.sites[0].record = 1; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.sites[0].record = kNone; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.sites[0].group = 1; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.sites[0].field = 2; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.sites[0].loop = 1; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.reaches[0].kernel = 1; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.reaches[0].site = 3; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.reaches[0].loop = 1; }), "RL-T05");
}

TEST(SiteTable, RefusesSitesOutOfOrderAndFieldsOutsideTheRecord) {
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.sites[1].id = 1; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.records[0].fields[1].offset = 8; }), "RL-T05");
  EXPECT_EQ(codeAfter([](SiteTable &t) { t.records[0].fields[1].bytes = 0xffffffffu; }), "RL-T05");
}

} // namespace
} // namespace relayout::trace
