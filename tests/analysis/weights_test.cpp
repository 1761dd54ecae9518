// SPDX-License-Identifier: Apache-2.0
// Tests of the 2017 method's weights, with the paper's own numbers.
#include "relayout/analysis/nakai/weights.h"

#include "traced_program.h"

#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

TEST(SiteWeight, ElevenCoalescingThreadsWeighMinus11Of32) {
  EXPECT_DOUBLE_EQ(siteWeight(AccessClass::Coalesce, 11, 1), -11.0 / 32);
}

TEST(SiteWeight, TimesTheExecutions) {
  // The paper rounds -11/32 to -0.34 before it multiplies and so prints -272.
  EXPECT_DOUBLE_EQ(siteWeight(AccessClass::Coalesce, 11, 800), -275);
}

TEST(SiteWeight, UnCoalesceAndShareCoalesceWeighTheirExecutions) {
  EXPECT_DOUBLE_EQ(siteWeight(AccessClass::UnCoalesce, 0, 800), 800);
  EXPECT_DOUBLE_EQ(siteWeight(AccessClass::ShareCoalesce, 31, 800), 800);
  EXPECT_DOUBLE_EQ(siteWeight(AccessClass::Unobserved, 0, 800), 0);
}

class Weigh : public testing::Test {
protected:
  std::vector<SiteRow> rows() const {
    const Result<Observations> observations = observe(program.trace(), program.source());
    EXPECT_TRUE(observations.has_value());
    return weighSites(program.trace(), *observations);
  }

  TracedProgram program;
  trace::Index record = program.record("R", {"a", "b"});
  trace::Index group = program.group(record, "d");
  trace::Index kernel = program.kernel("k");
};

TEST_F(Weigh, ClassComesFromTheRecordedPartAndTheCountIsExact) {
  const auto site = program.site(record, group, 0);
  program.execute(kernel, site, 1000, {streamed(), scattered()});
  const std::vector<SiteRow> all = rows();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].accessClass, AccessClass::Coalesce);
  EXPECT_EQ(all[0].evidence, Evidence::Own);
  EXPECT_EQ(all[0].recorded, 2u);
  EXPECT_DOUBLE_EQ(all[0].averageThreads, 15.5);
  EXPECT_DOUBLE_EQ(all[0].weight, -15.5 / 32 * 1000);
}

TEST_F(Weigh, WithoutRecordsTheClassIsThatOfTheSiteInOtherKernels) {
  const auto other = program.kernel("other");
  const auto site = program.site(record, group, 0);
  program.execute(kernel, site, 10, {broadcast()});
  program.execute(other, site, 30);
  const std::vector<SiteRow> all = rows();
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].evidence, Evidence::OtherKernels);
  EXPECT_EQ(all[1].accessClass, AccessClass::ShareCoalesce);
  EXPECT_DOUBLE_EQ(all[1].weight, 30);
}

TEST_F(Weigh, WithoutAnyRecordItWeighsNothing) {
  program.execute(kernel, program.site(record, group, 0), 30);
  const std::vector<SiteRow> all = rows();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].evidence, Evidence::None);
  EXPECT_EQ(all[0].accessClass, AccessClass::Unobserved);
  EXPECT_EQ(all[0].weight, 0);
}

TEST_F(Weigh, SitesOutsideRecordsAndNeverExecutedOnesHaveNoRow) {
  program.execute(kernel, program.site(trace::kNone, trace::kNone, trace::kNone), 5);
  program.execute(kernel, program.site(record, group, 1), 0);
  EXPECT_TRUE(rows().empty());
}

TEST_F(Weigh, TheLoopIsTheOneTheKernelSees) {
  const auto own = program.loop();
  const auto callers = program.loop();
  const auto inLoop = program.site(record, group, 0, own);
  const auto called = program.site(record, group, 1);
  program.reach(kernel, called, callers);
  program.execute(kernel, inLoop, 1);
  program.execute(kernel, called, 1);
  EXPECT_EQ(rows()[0].loop, own);
  EXPECT_EQ(rows()[1].loop, callers);
}

} // namespace
} // namespace relayout::analysis
