// SPDX-License-Identifier: Apache-2.0
// Tests of plans for a layout asked for by name.
#include "relayout/analysis/plan/uniform_plan.h"

#include "traced_program.h"

#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

const std::vector<LayoutField> kFields = {{"x", 4, 4}, {"d", 8, 8}};

TEST(LayoutByName, KnowsTheLayouts) {
  EXPECT_EQ(*layoutByName("aos", kFields), aos(kFields));
  EXPECT_EQ(*layoutByName("soa", kFields), soa(kFields));
  EXPECT_EQ(*layoutByName("aligned-aos", kFields), alignedAos(kFields, 16));
  EXPECT_EQ(*layoutByName("aligned-aos-32", kFields), alignedAos(kFields, 32));
  EXPECT_EQ(*layoutByName("aligned-aos-4", kFields), alignedAos(kFields, 8)) << "the double's";
  EXPECT_EQ(*layoutByName("aosoa-32", kFields), aosoa(kFields, 32));
}

TEST(LayoutByName, RefusesOthers) {
  for (const char *name : {"", "AoS", "aosoa", "aosoa-", "aosoa-0", "aosoa-3x", "aosoa--1",
                           "aligned-aos-12", "aligned-aos-0", "aligned-aos-512", "soa-32"}) {
    const Result<Layout> layout = layoutByName(name, kFields);
    ASSERT_FALSE(layout.has_value()) << name;
    EXPECT_EQ(layout.error().code, Code::UnknownLayout) << name;
  }
}

class UniformPlan : public testing::Test {
protected:
  TracedProgram program;
  trace::Index record = program.record("R", {"a", "b"});
  trace::Index used = program.group(record, "used");
  trace::Index unused = program.group(record, "unused");
  trace::Index kernel = program.kernel("k");
};

TEST_F(UniformPlan, DecidesForEveryGroupThatAKernelReaches) {
  program.reach(kernel, program.site(record, used, 0), trace::kNone);
  const Result<Plan> plan = fixedPlan(program.trace().sites, "soa");
  ASSERT_TRUE(plan.has_value());
  EXPECT_EQ(plan->policy, "fixed");
  EXPECT_EQ(plan->sourceDigest, "digest");
  ASSERT_EQ(plan->decisions.size(), 1u);
  EXPECT_EQ(plan->decisions[0].arrays, std::vector<std::string>{"used"});
  EXPECT_EQ(plan->decisions[0].fields, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(plan->decisions[0].layout.clusters.size(), 2u);
  EXPECT_FALSE(plan->decisions[0].keep);
}

TEST_F(UniformPlan, ASiteOfAnUnknownArrayReachesAllGroupsOfItsRecord) {
  program.reach(kernel, program.site(record, trace::kNone, 0), trace::kNone);
  EXPECT_EQ(fixedPlan(program.trace().sites, "soa")->decisions.size(), 2u);
}

TEST_F(UniformPlan, GroupsWithoutADecisionKeepTheirLayout) {
  program.reach(kernel, program.site(record, unused, 0), trace::kNone); // the second group alone
  const trace::SiteTable &sites = program.trace().sites;
  const auto layouts = layoutsByGroup(*fixedPlan(sites, "soa"), sites);
  ASSERT_EQ(layouts.size(), sites.groups.size());
  EXPECT_FALSE(layouts[used].has_value());
  ASSERT_TRUE(layouts[unused].has_value());
  EXPECT_EQ(layouts[unused]->clusters.size(), 2u);
}

TEST_F(UniformPlan, PlainArraysStay) {
  const trace::Index number = program.record("float", {"value"});
  program.trace().sites.records[number].place = {};
  const trace::Index array = program.group(number, "array");
  program.reach(kernel, program.site(number, array, 0), trace::kNone);
  for (const char *layout : {"aligned-aos", "soa", "aosoa-8"}) {
    const Result<Plan> plan = fixedPlan(program.trace().sites, layout);
    ASSERT_EQ(plan->decisions.size(), 1u);
    EXPECT_TRUE(plan->decisions[0].keep) << layout;
  }
}

TEST_F(UniformPlan, AosKeepsTheSource) {
  program.reach(kernel, program.site(record, used, 0), trace::kNone);
  EXPECT_TRUE(fixedPlan(program.trace().sites, "aos")->decisions.at(0).keep);
}

TEST_F(UniformPlan, ElementsOfOneFieldKeepTheSource) {
  const trace::Index number = program.record("double", {"value"});
  program.reach(kernel, program.site(number, program.group(number, "sums"), 0), trace::kNone);
  EXPECT_TRUE(fixedPlan(program.trace().sites, "soa")->decisions.at(0).keep);
}

TEST_F(UniformPlan, AWrongNameIsAnErrorEvenWithoutArrays) {
  EXPECT_EQ(fixedPlan({}, "rows").error().code, Code::UnknownLayout);
  EXPECT_TRUE(fixedPlan({}, "soa").has_value());
}

} // namespace
} // namespace relayout::analysis
