// SPDX-License-Identifier: Apache-2.0
// Tests of the 2017 method's classification.
#include "traced_program.h"

#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

AccessClass classOf(const std::vector<trace::WarpAccess> &accesses) {
  Observation observation;
  for (const trace::WarpAccess &access : accesses)
    observation.add(access);
  return observation.accessClass();
}

TEST(CoalescingThreads, CountsLanesUpTo128BytesAfterTheFirst) {
  EXPECT_EQ(coalescingThreads(streamed()), 31);
  EXPECT_EQ(coalescingThreads(scattered()), 0);
  EXPECT_EQ(coalescingThreads(broadcast()), 31);
  // A 32-byte record read by adjacent threads: lanes 1 to 4 are within 128 bytes, the end
  // included.
  EXPECT_EQ(coalescingThreads(warpAccess([](unsigned lane) { return 4096 + lane * 32; })), 4);
  EXPECT_EQ(coalescingThreads(warpAccess([](unsigned lane) { return 4096 + lane * 129; })), 0);
  EXPECT_EQ(coalescingThreads(warpAccess([](unsigned lane) { return 4096 + lane * 128; })), 1);
}

TEST(CoalescingThreads, LanesBelowTheFirstDoNotCount) {
  EXPECT_EQ(coalescingThreads(warpAccess([](unsigned lane) { return 4096 - lane * 4; })), 0);
}

TEST(CoalescingThreads, StartsFromTheFirstActiveLane) {
  const auto access = [](std::uint32_t mask) {
    return warpAccess([](unsigned lane) { return lane < 16 ? 0x1000 : 0x9000 + lane * 8; }, mask);
  };
  EXPECT_EQ(coalescingThreads(access(0xffff0000u)), 15);
  EXPECT_EQ(coalescingThreads(access(0x00010001u)), 0);
  EXPECT_EQ(coalescingThreads(access(0x80000000u)), 0);
  EXPECT_EQ(coalescingThreads(access(0)), 0);
}

TEST(CoalescingThreads, DoNotWrapAroundTheAddressSpace) {
  EXPECT_EQ(coalescingThreads(warpAccess(
                [](unsigned lane) { return lane == 0 ? ~std::uint64_t{0} - 4 : lane * 4096; })),
            0);
}

TEST(SharesAddress, FindsAnyTwoActiveLanes) {
  EXPECT_TRUE(sharesAddress(broadcast()));
  EXPECT_FALSE(sharesAddress(streamed()));
  const auto lastTwo = [](unsigned lane) { return lane == 31 ? 30 * 64 : lane * 64; };
  EXPECT_TRUE(sharesAddress(warpAccess(lastTwo)));
  EXPECT_FALSE(sharesAddress(warpAccess(lastTwo, 0x7fffffffu)));
}

TEST(SharesAddress, InactiveLanesShareNothing) {
  EXPECT_FALSE(sharesAddress(warpAccess([](unsigned) { return 64; }, 0x00100000u)));
  EXPECT_FALSE(sharesAddress(warpAccess([](unsigned lane) { return lane * 4; }, 0xf)));
}

TEST(Classify, FollowsTheDefinitions) {
  EXPECT_EQ(classOf({}), AccessClass::Unobserved);
  EXPECT_EQ(classOf({scattered()}), AccessClass::UnCoalesce);
  EXPECT_EQ(classOf({streamed()}), AccessClass::Coalesce);
  EXPECT_EQ(classOf({broadcast()}), AccessClass::ShareCoalesce);
}

TEST(Classify, OneCoalescingExecutionMakesASiteCoalesce) {
  EXPECT_EQ(classOf({scattered(), scattered(), streamed()}), AccessClass::Coalesce);
}

TEST(Classify, OneSharingExecutionMakesASiteShareCoalesce) {
  EXPECT_EQ(classOf({streamed(), streamed(), broadcast()}), AccessClass::ShareCoalesce);
}

TEST(Classify, SharingAwayFromTheFirstLaneCountsToo) {
  EXPECT_EQ(classOf({warpAccess([](unsigned lane) { return lane < 30 ? lane * 4096 : 0x999990; })}),
            AccessClass::ShareCoalesce);
}

TEST(Classify, ThreadsAreAveragedOverTheRecordedExecutions) {
  Observation observation;
  observation.add(streamed());
  observation.add(scattered());
  EXPECT_DOUBLE_EQ(observation.averageThreads(), 15.5);
  observation.add(warpAccess([](unsigned lane) { return lane * 8; })); // 16 within 128 bytes
  EXPECT_DOUBLE_EQ(observation.averageThreads(), 47.0 / 3);
}

TEST(Observe, KeepsKernelsApartAndSumsThemPerSite) {
  TracedProgram program;
  const auto record = program.record("R", {"a", "b"});
  const auto group = program.group(record, "d");
  const auto first = program.kernel("first");
  const auto second = program.kernel("second");
  const auto site = program.site(record, group, 0);
  program.execute(first, site, 2, {streamed(), streamed()});
  program.execute(second, site, 1, {broadcast()});
  const Result<Observations> observations = observe(program.trace(), program.source());
  ASSERT_TRUE(observations.has_value());
  const std::uint32_t id = program.trace().sites.sites[site].id;
  EXPECT_EQ(observations->at({first, id}).accessClass(), AccessClass::Coalesce);
  EXPECT_EQ(observations->at({second, id}).accessClass(), AccessClass::ShareCoalesce);
  EXPECT_EQ(bySite(*observations).at(id).recorded, 3u);
  EXPECT_EQ(bySite(*observations).at(id).accessClass(), AccessClass::ShareCoalesce);
}

TEST(Observe, PassesOnWhatTheSourceReports) {
  const Result<Observations> observations =
      observe({}, [](const auto &) -> Result<void> { return fail(Code::DamagedTrace, "damaged"); });
  ASSERT_FALSE(observations.has_value());
  EXPECT_EQ(observations.error().code, Code::DamagedTrace);
}

} // namespace
} // namespace relayout::analysis
