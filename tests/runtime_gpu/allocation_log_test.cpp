// SPDX-License-Identifier: Apache-2.0
// Device arrays: names, lives measured in launches, bytes copied.
#include "relayout/gpu/allocation_log.h"

#include <gtest/gtest.h>

namespace relayout::gpu {
namespace {

TEST(AllocationLog, ALifeIsMeasuredInLaunches) {
  AllocationLog log;
  log.launched();
  log.allocated({"main::bodies"}, 0x1000, 64);
  log.launched();
  log.launched();
  log.freed(0x1000);
  log.allocated({""}, 0x1000, 128);
  ASSERT_EQ(log.arrays().size(), 2u);
  EXPECT_EQ(log.arrays()[0].name, "main::bodies");
  EXPECT_EQ(log.arrays()[0].allocatedAt, 1u);
  EXPECT_EQ(log.arrays()[0].freedAt, 3u);
  EXPECT_EQ(log.arrays()[1].allocatedAt, 3u);
  EXPECT_EQ(log.arrays()[1].freedAt, ArrayLife::kNever);
}

TEST(AllocationLog, CopiesCountForTheArrayThatHoldsTheAddress) {
  AllocationLog log;
  log.allocated({"a"}, 0x1000, 64);
  log.allocated({"b"}, 0x2000, 64);
  log.copied(0x1000, 0x9000, 64); // in, all of it
  log.copied(0x9000, 0x1020, 16); // out, from the middle
  log.copied(0x2000, 0x1000, 8);  // from one to the other
  log.copied(0x1040, 0x2040, 4);  // just after both
  log.copied(0x0fff, 0x0fff, 4);  // just before the first
  EXPECT_EQ(log.arrays()[0].copiedInBytes, 64u);
  EXPECT_EQ(log.arrays()[0].copiedOutBytes, 24u);
  EXPECT_EQ(log.arrays()[1].copiedInBytes, 8u);
  EXPECT_EQ(log.arrays()[1].copiedOutBytes, 0u);
  // Of these, what the host did.
  EXPECT_EQ(log.arrays()[0].fromHost.copies, 1u);
  EXPECT_EQ(log.arrays()[0].fromHost.bytes, 64u);
  EXPECT_EQ(log.arrays()[0].toHost.copies, 1u);
  EXPECT_EQ(log.arrays()[0].toHost.bytes, 16u);
  EXPECT_EQ(log.arrays()[1].fromHost.copies, 0u);
}

TEST(AllocationLog, AnAddressHandedOutAgainWasFreed) {
  AllocationLog log;
  log.allocated({"a"}, 0x1000, 64);
  log.launched();
  log.allocated({"b"}, 0x1000, 64);
  EXPECT_EQ(log.arrays()[0].freedAt, 1u);
  log.copied(0x1000, 0x9000, 1);
  EXPECT_EQ(log.arrays()[0].copiedInBytes, 0u);
  EXPECT_EQ(log.arrays()[1].copiedInBytes, 1u);
}

TEST(AllocationLog, ArraysBeyondTheRowsAreStillCounted) {
  AllocationLog log;
  for (std::uint64_t i = 0; i < AllocationLog::kMostArrays + 3; ++i)
    log.allocated({""}, 0x1000 + 256 * i, 16);
  EXPECT_EQ(log.arrays().size(), AllocationLog::kMostArrays);
  EXPECT_EQ(log.arraysWithoutARow(), 3u);
}

} // namespace
} // namespace relayout::gpu
