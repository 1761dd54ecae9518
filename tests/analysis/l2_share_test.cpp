// SPDX-License-Identifier: Apache-2.0
// What an SM's share of L2 keeps, compared with walks along rows
// (tests/gpu/microarchitecture/row_walks.cu).
#include "replay/memory/l2_share.h"

#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

Machine machineOfAnH100() {
  Machine machine;
  machine.sms = 132;
  machine.l2Bytes = 52'428'800;
  return machine;
}

/// Lines of one SM when all SMs together have so many bytes.
std::uint64_t linesOf(std::uint64_t bytes) { return bytes / 128 / 132; }

/// How often each sector of a range comes from DRAM that is read three times.
double fetchedOfThree(std::uint64_t bytes) {
  L2Share share(machineOfAnH100());
  RefetchCounts counts;
  for (int pass = 0; pass < 3; ++pass)
    for (std::uint64_t line = 0; line < linesOf(bytes); ++line)
      share.read(line, 0b1111, counts);
  EXPECT_EQ(counts.asked, 3 * counts.first);
  return counts.fetched / counts.first;
}

TEST(L2Share, WhatFitsIsFetchedOnce) {
  EXPECT_NEAR(fetchedOfThree(17 * kMegabyte), 1.00, 0.02); // measured on an H100: 1.00
  EXPECT_NEAR(fetchedOfThree(35 * kMegabyte), 1.06, 0.15); // 1.06
  EXPECT_NEAR(fetchedOfThree(52 * kMegabyte), 2.98, 0.15); // 2.98
}

/// Each sector is written in two halves, the second when the first halves of all are.
RefetchCounts writtenInHalves(std::uint64_t bytes) {
  L2Share share(machineOfAnH100());
  RefetchCounts counts;
  for (int half = 0; half < 2; ++half)
    for (std::uint64_t line = 0; line < linesOf(bytes); ++line)
      share.write(line, 0b0001, 16, counts);
  return counts;
}

TEST(L2Share, HalvesThatComeFarApartAreWrittenTwiceAndFilled) {
  const RefetchCounts near = writtenInHalves(17 * kMegabyte);
  EXPECT_EQ(near.rewritten, 0);
  EXPECT_EQ(near.filled, 0);
  const RefetchCounts far = writtenInHalves(70 * kMegabyte);
  EXPECT_NEAR(far.rewritten / far.written, 1, 0.05);
  EXPECT_GT(far.filled / far.written, 1);
  EXPECT_EQ(far.granules, far.filled + far.rewritten) << "one sector of each line";
}

TEST(L2Share, WhatIsWrittenFromEndToEndIsNotFilled) {
  L2Share share(machineOfAnH100());
  RefetchCounts counts;
  for (std::uint64_t line = 0; line < linesOf(200 * kMegabyte); ++line) {
    share.write(line, 0b0011, 16, counts);
    share.write(line, 0b0011, 16, counts);
  }
  EXPECT_GT(counts.written, 0);
  EXPECT_EQ(counts.filled, 0);
  EXPECT_EQ(counts.rewritten, 0);
}

TEST(L2Share, ALaunchBeginsAnew) {
  L2Share share(machineOfAnH100());
  RefetchCounts counts;
  for (int launch = 0; launch < 2; ++launch) {
    share.clear(1);
    for (std::uint64_t line = 0; line < 1000; ++line)
      share.read(line, 1, counts);
  }
  EXPECT_EQ(counts.asked, counts.first);
}

} // namespace
} // namespace relayout::analysis
