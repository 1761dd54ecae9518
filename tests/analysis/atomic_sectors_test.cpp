// SPDX-License-Identifier: Apache-2.0
// Atomics in L1: what an H100 counted for single warps whose lanes reduce to these words.
#include "relayout/analysis/replay/memory/atomic_sectors.h"

#include <gtest/gtest.h>

#include <vector>

namespace relayout::analysis {
namespace {

struct Measured {
  std::uint32_t sectors;
  std::vector<std::uint64_t> words; ///< of 4 bytes, lane by lane
};

const std::vector<Measured> kMeasured = {
    {3, {0, 0, 0}},
    {32, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
          0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {8, {0,  2,  4,  6,  8,  10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30,
         32, 34, 36, 38, 40, 42, 44, 46, 48, 50, 52, 54, 56, 58, 60, 62}},
    {32, {0,   16,  32,  48,  64,  80,  96,  112, 128, 144, 160, 176, 192, 208, 224, 240,
          256, 272, 288, 304, 320, 336, 352, 368, 384, 400, 416, 432, 448, 464, 480, 496}},
    {31, {1234, 836,  1650, 1662, 962,  1080, 1166, 1844, 1604, 610,  6,
          1664, 1626, 1878, 1252, 1646, 1680, 112,  218,  418,  1844, 1196,
          694,  1236, 122,  1380, 1148, 780,  1932, 1820, 1686, 1018}},
    {32, {1656, 1822, 150,  1156, 1796, 2022, 122, 152,  1516, 906,  1878,
          1446, 1400, 726,  1156, 1498, 1338, 778, 912,  1040, 1738, 1844,
          1622, 1358, 1952, 442,  1628, 1742, 28,  1152, 2006, 1930}},
    {32,
     {856,  74,  1714, 560,  1732, 1828, 752, 250,  502,  510, 1050, 930,  68,  1340, 360, 980,
      1224, 646, 1350, 1360, 160,  80,   514, 1470, 1222, 752, 298,  1966, 874, 1320, 734, 228}},
    {31, {1634, 402,  1600, 8,    1458, 1878, 1190, 1626, 1326, 1988, 1218,
          1452, 1274, 1436, 1228, 1288, 1220, 1358, 274,  480,  1858, 582,
          1856, 1588, 1316, 1238, 872,  1814, 1608, 310,  930,  1372}},
    {31,
     {512, 1126, 1962, 1072, 1224, 1918, 172,  990,  1004, 292,  636, 1944, 208,  1376, 1390, 1132,
      232, 1642, 286,  670,  1696, 1464, 1904, 1942, 606,  1188, 298, 384,  1266, 1230, 1782, 76}},
    {9, {8,  6, 15, 11, 8, 5,  6, 9,  6, 7, 11, 2, 8, 2, 14, 2,
         10, 7, 12, 9,  1, 10, 5, 10, 9, 7, 10, 3, 2, 7, 7,  0}},
    {11, {15, 19, 40, 41, 41, 8,  57, 35, 61, 58, 46, 48, 10, 7,  17, 6,
          62, 32, 31, 43, 46, 47, 51, 39, 59, 43, 21, 3,  18, 32, 28, 17}},
    {10, {15, 1,  25, 20, 27, 15, 17, 12, 4,  10, 28, 9,  16, 29, 10, 8,
          8,  28, 23, 19, 25, 15, 7,  13, 19, 4,  6,  14, 25, 20, 31, 6}},
};

std::uint32_t sectorsOf(const std::vector<std::uint64_t> &addresses) {
  return atomicSectors(addresses, architectureOf("9.0").tagBanks);
}

TEST(AtomicSectors, EqualThoseThatTheHardwareCounted) {
  for (const Measured &row : kMeasured) {
    std::vector<std::uint64_t> addresses;
    for (const std::uint64_t word : row.words)
      addresses.push_back((std::uint64_t{1} << 40) + 4 * word);
    EXPECT_EQ(sectorsOf(addresses), row.sectors) << "first word " << row.words.front();
  }
}

TEST(AtomicSectors, LanesOnOneAddressAreReplayed) {
  for (std::size_t lanes = 1; lanes <= 32; ++lanes)
    EXPECT_EQ(sectorsOf(std::vector<std::uint64_t>(lanes, 0x1000)), lanes);
}

TEST(AtomicSectors, AdjacentLanesAreNotReplayed) {
  std::vector<std::uint64_t> words, doubles;
  for (std::uint64_t lane = 0; lane < 32; ++lane) {
    words.push_back(0x1000 + 4 * lane);
    doubles.push_back(0x1000 + 8 * lane);
  }
  EXPECT_EQ(sectorsOf(words), 4u);
  EXPECT_EQ(sectorsOf(doubles), 8u);
}

} // namespace
} // namespace relayout::analysis
