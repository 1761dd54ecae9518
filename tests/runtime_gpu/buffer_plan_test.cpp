// SPDX-License-Identifier: Apache-2.0
// Sizes of the device buffers, sums over them, and which blocks are sampled.
#include "relayout/gpu/buffer_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace relayout::gpu {
namespace {

TEST(BufferPlan, ManySitesShareRowsInsteadOfTakingMoreMemory) {
  EXPECT_EQ(planBuffers(132, 10, 500, 0, 1ull << 36).rows, 128u);
  const BufferPlan large = planBuffers(132, 1000, 5000, 0, 1ull << 36);
  EXPECT_EQ(large.rows, 1u);
  EXPECT_EQ(large.granules, 0u);
}

TEST(BufferPlan, HalfOfTheFreeMemoryStaysTheProgramsOwn) {
  EXPECT_EQ(planBuffers(132, 1, 1, 1ull << 30, 1ull << 21).granules, (1u << 20) / 16);
  EXPECT_EQ(planBuffers(132, 1, 1, 1ull << 20, 1ull << 36).granules, (1u << 20) / 16);
}

TEST(BufferPlan, PlacesStayWithin32Bits) {
  EXPECT_LT(planBuffers(132, 1, 1, 1ull << 50, 1ull << 50).granules, 0xffffffffu);
}

TEST(SumRows, AddsRowsAndTurnsAbsentLanesIntoActiveOnes) {
  BufferPlan plan;
  plan.rows = 2;
  plan.kernels = 2;
  plan.sites = 2;
  std::vector<device::SiteTally> tallies(plan.tallies());
  tallies[1] = {10, 0};              // row 0, kernel 0, site 1
  tallies[4 + 1] = {1ull << 40, 31}; // row 1, the same
  tallies[4 + 2] = {3, 90};          // row 1, kernel 1, site 0
  const std::vector<SiteSum> sums = sumRows(plan, tallies);
  ASSERT_EQ(sums.size(), 4u);
  EXPECT_EQ(sums[1].warpAccesses, (1ull << 40) + 10);
  EXPECT_EQ(sums[1].laneAccesses, 32 * ((1ull << 40) + 10) - 31);
  EXPECT_EQ(sums[2].laneAccesses, 6u);
  EXPECT_EQ(sums[3].warpAccesses, 0u);
}

TEST(Sampling, OneBlockOfEveryGroup) {
  for (const std::uint64_t blocks : {1ull, 31ull, 32ull, 63ull, 64ull, 1000ull, 65536ull}) {
    const std::uint32_t shift = device::sampleShift(blocks, 5);
    std::uint64_t sampled = 0;
    for (std::uint32_t block = 0; block < blocks; ++block)
      sampled += device::isSampled(block, shift);
    EXPECT_GE(sampled + 1, blocks < 32 ? blocks : 32) << blocks;
    EXPECT_LE(sampled, 64u) << blocks;
  }
}

TEST(SharedCounts, ASiteHasThoseOfTheOneThatCountsForIt) {
  BufferPlan plan;
  plan.kernels = 2;
  plan.sites = 4;
  std::vector<SiteSum> sums(8);
  sums[1] = {10, 320}; // kernel 0, site 1
  sums[4 + 1] = {3, 64};
  sums[4 + 3] = {7, 7};
  const std::vector<device::SharedCount> shared = {{2, 1}};
  giveSharedCounts(plan, shared, sums);
  EXPECT_EQ(sums[2].warpAccesses, 10u);
  EXPECT_EQ(sums[2].laneAccesses, 320u);
  EXPECT_EQ(sums[4 + 2].warpAccesses, 3u);
  EXPECT_EQ(sums[4 + 2].laneAccesses, 64u);
  EXPECT_EQ(sums[3].warpAccesses, 0u);
  EXPECT_EQ(sums[4 + 3].warpAccesses, 7u);
}

TEST(Sampling, NoColumnOfAGridIsPreferred) {
  const std::uint32_t shift = device::sampleShift(1u << 16, 5);
  std::vector<std::uint32_t> places;
  for (std::uint32_t block = 0; block < 1u << 16; ++block)
    if (device::isSampled(block, shift))
      places.push_back(block & ((1u << shift) - 1));
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  EXPECT_GT(places.size(), 24u);
}

TEST(DeepBlocks, LieEvenlyAmongTheSampled) {
  for (const std::uint64_t sampled : {1u, 5u, 6u, 7u, 32u, 61u, 63u}) {
    std::vector<std::uint64_t> deep;
    for (std::uint64_t index = 0; index < sampled; ++index)
      if (device::isDeep(index, sampled, 6))
        deep.push_back(index);
    ASSERT_EQ(deep.size(), std::min<std::uint64_t>(sampled, 6)) << sampled;
    for (std::size_t i = 1; i < deep.size(); ++i)
      EXPECT_NEAR(static_cast<double>(deep[i] - deep[i - 1]), static_cast<double>(sampled) / 6, 1)
          << sampled;
  }
  EXPECT_FALSE(device::isDeep(0, 32, 0));
  std::uint32_t ofAllLaunches = 0;
  for (std::uint64_t launch = 0; launch < 1000; ++launch)
    ofAllLaunches += device::deepBlocks(launch);
  EXPECT_EQ(ofAllLaunches, device::kDeepBlocks);
}

TEST(WarpShare, AllLaunchesOfAllKernelsFit) {
  const std::uint32_t granules = 1u << 22, kernels = 3, warps = 4;
  const std::uint64_t sampled = 64;
  std::uint64_t taken = 0;
  for (std::uint64_t launch = 0; launch < 20; ++launch)
    for (std::uint64_t block = 0; block < sampled; ++block) {
      const bool deep = device::isDeep(block, sampled, device::deepBlocks(launch));
      taken += kernels * warps * device::warpShare(granules, kernels, launch, sampled, warps, deep);
    }
  EXPECT_LE(taken, granules);
  EXPECT_GT(device::warpShare(granules, kernels, 0, sampled, warps, false),
            device::warpShare(granules, kernels, 1, sampled, warps, false));
  EXPECT_GT(device::warpShare(granules, kernels, 0, sampled, warps, true),
            8 * device::warpShare(granules, kernels, 0, sampled, warps, false));
}

TEST(WarpShare, AlwaysHoldsOneRecordOfAnyShape) {
  EXPECT_EQ(device::warpShare(0, 1, 1000000, 1, 1, false),
            (device::kHeadBytes + 256 + sizeof(device::BufferHeader)) / 16);
}

} // namespace
} // namespace relayout::gpu
