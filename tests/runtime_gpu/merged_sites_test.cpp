// SPDX-License-Identifier: Apache-2.0
// Site tables of several translation units as one.
#include "relayout/gpu/merged_sites.h"

#include <gtest/gtest.h>

namespace relayout::gpu {
namespace {

trace::SiteTable unit(const std::string &name) {
  trace::SiteTable table;
  table.sourceFile = name + ".cu";
  table.sourceDigest = "00";
  trace::Record record;
  record.name = name;
  record.bytes = 8;
  record.fields = {{"x", "float", "", 0, 4, 4, 1}};
  table.records.push_back(record);
  table.groups.push_back({0, {"main::" + name}, {}});
  table.loops.push_back({4, trace::kNone, "k", {}});
  table.sites.push_back({1, trace::AccessKind::Read, 0, 0, 0, trace::kNone, 4, "k", {}});
  table.sites.push_back({3, trace::AccessKind::Write, 0, trace::kNone, 0, 0, 4, "k", {}});
  table.kernels.push_back({"k" + name, {}});
  table.reaches.push_back({0, 1, 0});
  return table;
}

TEST(MergedSites, EachUnitHasItsOwnNumbers) {
  MergedSites merged;
  const auto first = merged.add(trace::toJson(unit("A")));
  const auto second = merged.add(trace::toJson(unit("B")));
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->firstSite, 0u);
  EXPECT_EQ(second->firstSite, 4u);
  EXPECT_EQ(second->firstKernel, 1u);
  EXPECT_EQ(merged.sites(), 9u);
  const trace::SiteTable &table = merged.table();
  EXPECT_EQ(table.sites[3].id, 7u);
  EXPECT_EQ(table.sites[3].record, 1u);
  EXPECT_EQ(table.sites[2].group, 1u);
  EXPECT_EQ(table.sites[3].group, trace::kNone);
  EXPECT_EQ(table.loops[1].id, 8u);
  EXPECT_EQ(table.reaches[1].site, 3u);
  EXPECT_EQ(table.reaches[1].kernel, 1u);
  EXPECT_TRUE(trace::siteTableFromJson(trace::toJson(table)).has_value());
}

TEST(MergedSites, WhatIsNoTableChangesNothing) {
  MergedSites merged;
  EXPECT_FALSE(merged.add("{").has_value());
  EXPECT_EQ(merged.kernels(), 0u);
  EXPECT_EQ(merged.sites(), 1u);
}

} // namespace
} // namespace relayout::gpu
