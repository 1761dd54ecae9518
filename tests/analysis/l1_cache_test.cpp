// SPDX-License-Identifier: Apache-2.0
// Policy replay's L1, compared with chains of dependent loads
// (tests/gpu/microarchitecture/l1_chains.cu).
#include "replay/memory/l1_cache.h"

#include <gtest/gtest.h>

#include <random>

namespace relayout::analysis {
namespace {

constexpr std::uint64_t kLines = 1792; // what is left to kernels of 32 blocks an SM

/// The part of `lines` that is still there after `others` lines were loaded once each.
double survives(unsigned lines, unsigned times, unsigned others, unsigned seed) {
  std::mt19937_64 random(seed);
  L1Cache cache(kLines);
  std::vector<std::uint64_t> loaded(lines);
  for (std::uint64_t &line : loaded)
    line = random() >> 30;
  for (unsigned t = 0; t < times; ++t)
    for (const std::uint64_t line : loaded)
      cache.load(line, 1u << t);
  for (unsigned i = 0; i < others; ++i)
    cache.load(random() >> 30, 1);
  unsigned hits = 0;
  for (unsigned i = 0; i < lines; i += 8)
    hits += cache.load(loaded[i], 1).missing == 0 ? 1 : 0;
  return hits / (lines / 8.0);
}

/// The mean of several trials.
double survives(unsigned lines, unsigned times, unsigned others) {
  constexpr unsigned kTrials = 16;
  double sum = 0;
  for (unsigned trial = 0; trial < kTrials; ++trial)
    sum += survives(lines, times, others, trial);
  return sum / kTrials;
}

// A GPU has 512 sets and less data than they could hold; the model has sets for what data there is.
TEST(L1Cache, LinesReadOnceGoAsInSetsOfFour) {
  EXPECT_NEAR(survives(256, 1, 1024), 0.84, 0.16);
  EXPECT_NEAR(survives(256, 1, 1536), 0.57, 0.12);
  EXPECT_NEAR(survives(256, 1, 2048), 0.38, 0.12);
  EXPECT_NEAR(survives(256, 1, 4096), 0.00, 0.05);
}

TEST(L1Cache, LinesReadTwiceOutliveStreams) {
  EXPECT_NEAR(survives(256, 2, 8192), 0.97, 0.06);
  EXPECT_NEAR(survives(512, 2, 8192), 0.86, 0.08);
  EXPECT_NEAR(survives(1024, 2, 8192), 0.65, 0.08);
}

TEST(L1Cache, ConsecutiveLinesAreSpreadEvenly) {
  for (const std::uint64_t apart : {1u, 2u, 64u, 4096u}) {
    L1Cache cache(kLines);
    for (std::uint64_t i = 0; i < 1280; ++i)
      cache.load(i * apart, 1);
    unsigned hits = 0;
    for (std::uint64_t i = 0; i < 1280; ++i)
      hits += cache.load(i * apart, 1).missing == 0 ? 1 : 0;
    EXPECT_GT(hits, 1200u) << apart;
  }
}

TEST(L1Cache, ASectorThatIsMissingInALineIsLoaded) {
  L1Cache cache(kLines);
  EXPECT_EQ(cache.load(7, 0b0001).missing, 0b0001u);
  EXPECT_EQ(cache.load(7, 0b0011).missing, 0b0010u);
  EXPECT_EQ(cache.load(7, 0b0011).missing, 0u);
  cache.clear(1);
  EXPECT_EQ(cache.load(7, 0b0011).missing, 0b0011u);
}

TEST(L1Cache, StoresAllocateLinesLikeLoads) {
  L1Cache cache(kLines);
  cache.store(7, 0b0001);
  EXPECT_EQ(cache.load(7, 0b0011).missing, 0b0010u)
      << "only what was stored from end to end is there";
  cache.store(9, 0);
  EXPECT_EQ(cache.load(9, 0b0001).missing, 0b0001u) << "stored in part";
  EXPECT_EQ(cache.load(9, 0b0001).missing, 0u);
  cache.store(9, 0);
  EXPECT_EQ(cache.load(9, 0b0001).missing, 0u) << "what was read stays";
  // As many stores as leave nothing of lines that were read once; read and stored once, they stay.
  L1Cache readOnce(kLines);
  L1Cache asked(kLines);
  for (std::uint64_t line = 0; line < 256; ++line) {
    readOnce.load(line, 1);
    asked.load(line, 1);
    asked.store(line, 1);
  }
  for (std::uint64_t line = 1000; line < 1000 + 4096; ++line) {
    readOnce.store(line, 1);
    asked.store(line, 1);
  }
  unsigned left = 0;
  unsigned leftOfAsked = 0;
  for (std::uint64_t line = 0; line < 256; ++line) {
    left += readOnce.load(line, 1).missing == 0 ? 1 : 0;
    leftOfAsked += asked.load(line, 1).missing == 0 ? 1 : 0;
  }
  EXPECT_LT(left, 5u);
  EXPECT_GT(leftOfAsked, 240u);
}

TEST(L1Cache, TellsWhenWhatOthersAskedForComes) {
  L1Cache cache(1024);
  EXPECT_EQ(cache.load(7, 0b0001, 200).comesNs, 0) << "it is the first to ask";
  EXPECT_EQ(cache.load(7, 0b0011, 300).comesNs, 200)
      << "one is on its way, the other asked for now";
  EXPECT_EQ(cache.load(7, 0b0010, 400).comesNs, 300);
  cache.settle();
  EXPECT_EQ(cache.load(7, 0b0011, 500).comesNs, 0);
}

} // namespace
} // namespace relayout::analysis
