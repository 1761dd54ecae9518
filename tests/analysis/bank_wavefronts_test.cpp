// SPDX-License-Identifier: Apache-2.0
// Policy replay's banks of shared memory.
#include "replay/memory/bank_wavefronts.h"

#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

constexpr std::uint32_t kAll = 0xffffffffu;

/// \param stride  bytes from one lane to the next
unsigned strided(std::uint64_t stride, std::uint32_t bytes, std::uint32_t mask = kAll) {
  LaneAddresses addresses{};
  for (unsigned lane = 0; lane < kWarpThreads; ++lane)
    addresses[lane] = 4096 + lane * stride;
  return bankWavefronts(addresses, mask, 0, bytes);
}

TEST(BankWavefronts, AWordALaneGoesAtOnceWhereTheDistanceIsOdd) {
  EXPECT_EQ(strided(4, 4), 1u);
  EXPECT_EQ(strided(12, 4), 1u);
  EXPECT_EQ(strided(36, 4), 1u);
  EXPECT_EQ(strided(8, 4), 2u);
  EXPECT_EQ(strided(16, 4), 4u);
  EXPECT_EQ(strided(24, 4), 2u);
  EXPECT_EQ(strided(32, 4), 8u);
  EXPECT_EQ(strided(128, 4), 32u);
}

TEST(BankWavefronts, LanesAtOneWordAreOne) {
  EXPECT_EQ(strided(0, 4), 1u);
  EXPECT_EQ(strided(1, 1), 1u);
  EXPECT_EQ(strided(2, 2), 1u);
  EXPECT_EQ(strided(32, 1), 8u);
  LaneAddresses addresses{};
  for (unsigned lane = 0; lane < kWarpThreads; ++lane)
    addresses[lane] = lane % 2 == 0 ? 0 : 128; // two words of one bank
  EXPECT_EQ(bankWavefronts(addresses, kAll, 4, 4), 2u);
}

TEST(BankWavefronts, WideAccessesGoInPartsOfAWarp) {
  EXPECT_EQ(strided(8, 8), 2u);   // halves
  EXPECT_EQ(strided(16, 16), 4u); // quarters
  EXPECT_EQ(strided(16, 8), 4u);
  EXPECT_EQ(strided(32, 16), 8u);
  EXPECT_EQ(strided(48, 16), 4u);
  EXPECT_EQ(strided(24, 8), 2u);
  EXPECT_EQ(strided(0, 16), 4u);
}

TEST(BankWavefronts, LanesThatStandAsideCostNothing) {
  EXPECT_EQ(strided(32, 4, 0), 0u);
  EXPECT_EQ(strided(32, 4, 0xff), 2u);
  EXPECT_EQ(strided(16, 16, 0xff), 1u);
  EXPECT_EQ(strided(16, 16, 0x01000000), 1u);
}

} // namespace
} // namespace relayout::analysis
