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
