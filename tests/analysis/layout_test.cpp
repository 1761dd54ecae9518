// SPDX-License-Identifier: Apache-2.0
// Tests of layouts by their addresses, worked out by hand, and of the proof that fields keep apart.
#include "relayout/analysis/layout/layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

using testing::HasSubstr;

std::vector<LayoutField> floats(std::initializer_list<const char *> names) {
  std::vector<LayoutField> fields;
  for (const char *name : names)
    fields.push_back({name, 4, 4});
  return fields;
}

const std::vector<LayoutField> kEight = floats({"x", "y", "z", "m", "vx", "vy", "vz", "h"});
const std::vector<LayoutField> kThree = floats({"x", "y", "z"});
/// char, double, float[3], short: padding inside and at the end.
const std::vector<LayoutField> kMixed = {{"c", 1, 1}, {"d", 8, 8}, {"v", 12, 4}, {"s", 2, 2}};

/// A row of a sparse matrix: array members of one count, and a scalar between them.
const std::vector<LayoutField> kRow = {
    {"value", 24, 8, 3}, {"diagonal", 8, 8}, {"column", 12, 4, 3}};

AddressFunction bound(const Layout &layout, const std::vector<LayoutField> &fields,
                      std::uint64_t elements) {
  Result<AddressFunction> function = AddressFunction::bind(layout, fields, elements);
  EXPECT_TRUE(function.has_value()) << function.error().text;
  return *function;
}

std::string codeOf(const Layout &layout, const std::vector<LayoutField> &fields,
                   std::uint64_t elements = 10) {
  const Result<AddressFunction> function = AddressFunction::bind(layout, fields, elements);
  return function ? "" : codeName(function.error().code);
}

TEST(LayoutAddress, AosOfEightFloats) {
  const AddressFunction at = bound(aos(kEight), kEight, 1000);
  EXPECT_EQ(at.offset(0, 0), 0u);
  EXPECT_EQ(at.offset(0, 7), 28u);
  EXPECT_EQ(at.offset(1, 0), 32u);
  EXPECT_EQ(at.offset(999, 3), 999u * 32 + 12);
  EXPECT_EQ(at.totalBytes(), 32000u);
}

TEST(LayoutAddress, AosHasThePaddingOfCxx) {
  struct Mixed {
    char c;
    double d;
    float v[3];
    short s;
  };
  const AddressFunction at = bound(aos(kMixed), kMixed, 100);
  EXPECT_EQ(at.clusterBytes(0), sizeof(Mixed));
  EXPECT_EQ(at.offset(0, 1), offsetof(Mixed, d));
  EXPECT_EQ(at.offset(0, 2), offsetof(Mixed, v));
  EXPECT_EQ(at.offset(5, 3), 5 * sizeof(Mixed) + offsetof(Mixed, s));
}

TEST(LayoutAddress, AlignedAosRoundsTheElementUp) {
  const AddressFunction at = bound(alignedAos(kThree, 16), kThree, 100);
  EXPECT_EQ(at.clusterBytes(0), 16u);
  EXPECT_EQ(at.offset(1, 0), 16u);
  EXPECT_EQ(at.offset(2, 2), 40u);
  EXPECT_EQ(at.totalBytes(), 1600u);
}

TEST(LayoutAddress, SoaPlanesStartAt256Bytes) {
  const AddressFunction at = bound(soa(kThree), kThree, 100); // planes of 400 bytes
  EXPECT_EQ(at.offset(0, 0), 0u);
  EXPECT_EQ(at.offset(99, 0), 396u);
  EXPECT_EQ(at.offset(0, 1), 512u);
  EXPECT_EQ(at.offset(3, 2), 1024u + 12);
  EXPECT_EQ(at.totalBytes(), 1424u);
}

TEST(LayoutAddress, SoaPlanesThatFillTheirBoundariesLeaveNoGap) {
  const AddressFunction at = bound(soa(kThree), kThree, 128);
  EXPECT_EQ(at.offset(0, 1), 512u);
  EXPECT_EQ(at.offset(0, 2), 1024u);
  EXPECT_EQ(at.totalBytes(), 1536u);
}

TEST(LayoutAddress, StartAlignmentIsAValueOfTheLayout) {
  Layout dense = soa(kThree);
  dense.startAlignment = 1;
  const AddressFunction at = bound(dense, kThree, 100);
  EXPECT_EQ(at.offset(0, 1), 400u);
  EXPECT_EQ(at.totalBytes(), 1200u);
}

TEST(LayoutAddress, AosoaOf32) {
  const AddressFunction at = bound(aosoa(kThree, 32), kThree, 100);
  EXPECT_EQ(at.offset(0, 1), 128u);
  EXPECT_EQ(at.offset(31, 2), 256u + 124);
  EXPECT_EQ(at.offset(32, 0), 384u);
  EXPECT_EQ(at.offset(70, 1), 2u * 384 + 128 + 6 * 4);
  EXPECT_EQ(at.totalBytes(), 4u * 384) << "the last tile is whole";
}

TEST(LayoutAddress, ClustersOfAWholeArray) {
  // {x y z m} aligned to 16 and {vx vy vz} aligned to 16, and h alone.
  const Layout layout{.clusters = {{{0, 1, 2, 3}, 16}, {{4, 5, 6}, 16}, {{7}, 0}}};
  const AddressFunction at = bound(layout, kEight, 10);
  EXPECT_EQ(at.offset(2, 3), 2u * 16 + 12);
  EXPECT_EQ(at.offset(0, 4), 256u); // 160 rounded up
  EXPECT_EQ(at.offset(9, 6), 256u + 9 * 16 + 8);
  EXPECT_EQ(at.offset(1, 7), 512u + 4); // 256 + 160 rounded up
  EXPECT_EQ(at.totalBytes(), 552u);
  EXPECT_EQ(at.clusterOf(5), 1u);
  EXPECT_EQ(at.offsetInCluster(5), 4u);
  EXPECT_EQ(at.clusterStart(2), 512u);
  EXPECT_EQ(at.clusterAlignment(2), 4u);
}

TEST(LayoutAddress, FieldsLieInTheOrderOfTheCluster) {
  const Layout layout{.clusters = {{{2, 0, 1}, 0}}};
  const AddressFunction at = bound(layout, kThree, 10);
  EXPECT_EQ(at.offset(0, 2), 0u);
  EXPECT_EQ(at.offset(0, 0), 4u);
  EXPECT_EQ(at.offset(1, 1), 12u + 8);
}

TEST(LayoutAddress, TilesOfPlanesWithPadding) {
  // Naruse's coef[I][12][J][K] in small: a tile is a J*K plane of 6 x 10 elements, and 64 bytes of
  // padding lie between the planes.
  Layout layout = aosoa(kThree, 60);
  layout.padBytes = 64;
  const AddressFunction at = bound(layout, kThree, 240);
  EXPECT_EQ(at.blockBytes(), 3u * 304);
  EXPECT_EQ(at.offset(59, 2), 2u * 304 + 59 * 4);
  EXPECT_EQ(at.offset(60, 0), 912u);
  EXPECT_EQ(at.offset(3 * 60 + 7, 1), 3u * 912 + 304 + 28);
  EXPECT_EQ(at.totalBytes(), 4u * 912 - 64) << "no padding behind the last plane";
}

TEST(LayoutAddress, ExplodedArraysAreATransposedEll) {
  // A row of 3 values and 3 columns: element k of all rows side by side, planes 256 bytes apart.
  const AddressFunction at = bound(explodedSoa(kRow), kRow, 20);
  EXPECT_EQ(at.offset(0, 0, 0), 0u);
  EXPECT_EQ(at.offset(7, 0, 0), 7u * 8);
  EXPECT_EQ(at.offset(7, 0, 2), 2u * 256 + 7 * 8);
  EXPECT_EQ(at.planeBytes(0), 256u);
  EXPECT_EQ(at.offset(7, 1), 3u * 256 + 7 * 8) << "the scalar behind the three planes";
  EXPECT_EQ(at.offset(7, 2, 1), 5u * 256 + 7 * 4);
  EXPECT_EQ(at.totalBytes(), 6u * 256 + 20 * 4);
}

TEST(LayoutAddress, FieldsExplodedTogetherLieSideBySide) {
  const Layout layout{.clusters = {{{0, 2}, 16, true}, {{1}, 0}}, .tile = 4};
  const AddressFunction at = bound(layout, kRow, 10);
  EXPECT_EQ(at.clusterBytes(0), 16u) << "a double and an int, aligned to 16";
  EXPECT_EQ(at.planeBytes(0), 64u);
  EXPECT_EQ(at.offset(1, 0, 2), 2u * 64 + 16);
  EXPECT_EQ(at.offset(1, 2, 2), 2u * 64 + 16 + 8);
  EXPECT_EQ(at.offset(5, 1), at.blockBytes() + 3 * 64 + 8);
}

TEST(LayoutAddress, ElementsOfAnArrayThatStaysWholeFollowEachOther) {
  const AddressFunction at = bound(soa(kRow), kRow, 20);
  EXPECT_EQ(at.offset(7, 0, 2), 7u * 24 + 16);
}

TEST(LayoutAddress, TileStartsKeepTheLargestAlignment) {
  // 5 elements: {c} takes 5 bytes, then the double of 8-byte alignment; a tile is 8 + 40 bytes.
  const std::vector<LayoutField> fields = {{"c", 1, 1}, {"d", 8, 8}};
  Layout layout = aosoa(fields, 5);
  EXPECT_EQ(bound(layout, fields, 10).offset(0, 1), 8u);
  EXPECT_EQ(bound(layout, fields, 10).offset(5, 0), 48u);
  layout.padBytes = 3;
  EXPECT_EQ(bound(layout, fields, 10).offset(5, 0), 56u);
}

TEST(LayoutAddress, AnEmptyArrayTakesNoBytes) {
  EXPECT_EQ(bound(soa(kThree), kThree, 0).totalBytes(), 0u);
  EXPECT_EQ(bound(aosoa(kThree, 32), kThree, 0).totalBytes(), 0u);
}

TEST(LayoutBind, ExplodesOnlyArraysOfOneCount) {
  EXPECT_EQ(codeOf({.clusters = {{{0, 2}, 0, true}, {{1}, 0}}}, kRow), "");
  EXPECT_EQ(codeOf({.clusters = {{{0, 1}, 0, true}, {{2}, 0}}}, kRow), "RL-L05");
  const std::vector<LayoutField> unequal = {{"a", 24, 8, 3}, {"b", 16, 4, 4}};
  EXPECT_EQ(codeOf({.clusters = {{{0, 1}, 0, true}}}, unequal), "RL-L05");
}

TEST(LayoutBind, RefusesFieldsMissingRepeatedOrUnknown) {
  EXPECT_EQ(codeOf({.clusters = {{{0, 1}, 0}}}, kThree), "RL-L01");
  EXPECT_EQ(codeOf({.clusters = {{{0, 1, 2, 0}, 0}}}, kThree), "RL-L01");
  EXPECT_EQ(codeOf({.clusters = {{{0, 1}, 0}, {{1, 2}, 0}}}, kThree), "RL-L01");
  EXPECT_EQ(codeOf({.clusters = {{{0, 1, 2, 3}, 0}}}, kThree), "RL-L01");
  EXPECT_EQ(codeOf({.clusters = {{{0, 1, 2}, 0}, {{}, 0}}}, kThree), "RL-L01");
  EXPECT_EQ(codeOf({}, kThree), "RL-L01");
}

TEST(LayoutBind, RefusesAlignmentsThatCannotBe) {
  EXPECT_EQ(codeOf(alignedAos(kThree, 12), kThree), "RL-L02");
  EXPECT_EQ(codeOf(alignedAos(kThree, 2), kThree), "RL-L02");
  EXPECT_EQ(codeOf(alignedAos(kMixed, 4), kMixed), "RL-L02");
  Layout layout = soa(kThree);
  layout.startAlignment = 96;
  EXPECT_EQ(codeOf(layout, kThree), "RL-L02");
  EXPECT_EQ(codeOf(aos({{"x", 4, 3}}), {{"x", 4, 3}}), "RL-L02");
}

TEST(LayoutBind, RefusesArraysBeyondTheAddressSpace) {
  EXPECT_EQ(codeOf(aos(kEight), kEight, std::uint64_t{1} << 60), "RL-L04");
  EXPECT_EQ(codeOf(aosoa(kEight, std::uint64_t{1} << 62), kEight, 5), "RL-L04");
  EXPECT_EQ(codeOf(aos(kEight), kEight, std::uint64_t{1} << 40), "");
}

TEST(ProveDisjoint, HoldsForEveryLayoutOfManyRecords) {
  const std::vector<std::vector<LayoutField>> records = {
      kThree,
      kEight,
      kMixed,
      {{"b", 1, 1}},
      {{"d", 8, 8}, {"f", 4, 4}},
      {{"a", 3, 1}, {"b", 16, 16}, {"c", 2, 2}, {"e", 24, 8}},
      kRow,
  };
  int proved = 0;
  for (const std::vector<LayoutField> &fields : records) {
    std::vector<Layout> layouts = {aos(fields), alignedAos(fields, 16), alignedAos(fields, 32),
                                   soa(fields), explodedSoa(fields)};
    for (const std::uint64_t tile : {1, 2, 5, 32, 64})
      layouts.push_back(aosoa(fields, tile));
    // Every way to cut the fields into two clusters, each aligned or not.
    for (std::uint32_t cut = 1; cut + 1 < 1u << fields.size() && fields.size() <= 4; ++cut)
      for (const std::uint32_t alignment : {0u, 16u}) {
        Layout layout{.clusters = {{{}, alignment}, {{}, 0}}};
        for (std::uint32_t field = 0; field < fields.size(); ++field)
          layout.clusters[cut >> field & 1].fields.push_back(field);
        layouts.push_back(layout);
      }
    const std::size_t plain = layouts.size();
    for (std::size_t i = 0; i < plain; ++i)
      for (const std::uint64_t pad : {4u, 100u}) {
        layouts.push_back(layouts[i]);
        layouts.back().padBytes = pad;
        layouts.push_back(layouts.back());
        layouts.back().startAlignment = 1;
      }
    for (const Layout &layout : layouts)
      for (const std::uint64_t elements : {1u, 31u, 32u, 33u, 100u}) {
        const AddressFunction at = bound(layout, fields, elements);
        const Result<void> apart =
            proveDisjoint(elements, fields, at.totalBytes(),
                          [&](std::uint64_t i, std::uint32_t f, std::uint32_t lane) {
                            return at.offset(i, f, lane);
                          });
        ASSERT_TRUE(apart.has_value())
            << describe(layout, fields) << ", " << elements << ": " << apart.error().text;
        for (std::uint64_t i = 0; i < elements; ++i)
          for (std::uint32_t f = 0; f < fields.size(); ++f)
            ASSERT_EQ(at.offset(i, f) % fields[f].alignment, 0u) << describe(layout, fields);
        ++proved;
      }
  }
  EXPECT_GT(proved, 1000);
}

TEST(ProveDisjoint, FailsForATileThatIsTooNarrow) {
  const AddressFunction at = bound(aosoa(kThree, 32), kThree, 100);
  const auto broken = [&](std::uint64_t i, std::uint32_t f, std::uint32_t) {
    return i / 32 * (at.blockBytes() - 4) + at.offset(i % 32, f);
  };
  const Result<void> apart = proveDisjoint(100, kThree, at.totalBytes(), broken);
  ASSERT_FALSE(apart.has_value());
  EXPECT_EQ(apart.error().code, Code::FieldsOverlap);
  EXPECT_THAT(apart.error().text, HasSubstr("'z' of element 31"));
  EXPECT_THAT(apart.error().text, HasSubstr("'x' of element 32"));
}

TEST(ProveDisjoint, FailsForPlanesOfAnArrayThatOverlap) {
  const AddressFunction at = bound(explodedSoa(kRow), kRow, 20);
  const auto broken = [&](std::uint64_t i, std::uint32_t f, std::uint32_t lane) {
    return at.offset(i, f, 0) + lane * 152;
  };
  const Result<void> apart = proveDisjoint(20, kRow, at.totalBytes(), broken);
  ASSERT_FALSE(apart.has_value());
  EXPECT_THAT(apart.error().text, HasSubstr("'value[0]' of element 19"));
  EXPECT_THAT(apart.error().text, HasSubstr("'value[1]' of element 0"));
}

TEST(ProveDisjoint, FailsForFieldsThatOverlapInPart) {
  const auto broken = [](std::uint64_t i, std::uint32_t f, std::uint32_t) {
    return i * 12 + f * 3;
  };
  const Result<void> apart = proveDisjoint(10, kThree, 120, broken);
  ASSERT_FALSE(apart.has_value());
  EXPECT_EQ(apart.error().code, Code::FieldsOverlap);
}

TEST(ProveDisjoint, FailsForALongFieldOverManyShortOnes) {
  const std::vector<LayoutField> fields = {{"long", 64, 4}, {"a", 4, 4}, {"b", 4, 4}};
  const auto broken = [](std::uint64_t, std::uint32_t f, std::uint32_t) {
    return f == 0 ? 0u : 8u + f * 16;
  };
  EXPECT_FALSE(proveDisjoint(1, fields, 200, broken).has_value());
}

TEST(ProveDisjoint, FailsOutsideTheArray) {
  const auto at = [](std::uint64_t i, std::uint32_t f, std::uint32_t) { return i * 12 + f * 4; };
  EXPECT_TRUE(proveDisjoint(10, kThree, 120, at).has_value());
  const Result<void> outside = proveDisjoint(10, kThree, 119, at);
  ASSERT_FALSE(outside.has_value());
  EXPECT_EQ(outside.error().code, Code::FieldsOverlap);
  EXPECT_THAT(outside.error().text, HasSubstr("outside"));
  const auto wrapping = [](std::uint64_t, std::uint32_t, std::uint32_t) {
    return ~std::uint64_t{0} - 1;
  };
  EXPECT_FALSE(proveDisjoint(1, kThree, 120, wrapping).has_value());
}

TEST(DescribeLayout, UsesTheFamiliarNames) {
  EXPECT_EQ(describe(aos(kThree), kThree), "AoS");
  EXPECT_EQ(describe(alignedAos(kThree, 16), kThree), "aligned AoS (16)");
  EXPECT_EQ(describe(soa(kThree), kThree), "SoA");
  EXPECT_EQ(describe(aosoa(kThree, 32), kThree), "AoSoA-32");
  EXPECT_EQ(describe({.clusters = {{{0, 1}, 16}, {{2}, 0}}}, kThree), "{x y} {z}");
  EXPECT_EQ(describe({.clusters = {{{0, 2, 1}, 0}}}, kThree), "{x z y}");
  EXPECT_EQ(describe({.clusters = {{{0, 1}, 16}, {{2}, 0}}, .tile = 64}, kThree),
            "{x y} {z} in tiles of 64");
  EXPECT_EQ(describe({.clusters = soa(kThree).clusters, .tile = 60, .padBytes = 128}, kThree),
            "AoSoA-60, 128 B of padding a plane");
  EXPECT_EQ(describe(explodedSoa(kRow), kRow), "{value[]} {diagonal} {column[]}");
}

TEST(LayoutFields, AreTheMembersInSourceOrder) {
  trace::Record record;
  record.fields = {{"x", "float", "", 0, 4, 4, 1}, {"v", "float", "[3]", 4, 12, 4, 3}};
  const std::vector<LayoutField> fields = layoutFields(record);
  ASSERT_EQ(fields.size(), 2u);
  EXPECT_EQ(fields[1].name, "v");
  EXPECT_EQ(fields[1].bytes, 12u);
  EXPECT_EQ(fields[1].alignment, 4u);
  EXPECT_EQ(fields[1].count, 3u);
}

TEST(Layout, WithinRecordsTakesNoMoreBytesThanThey) {
  const std::vector<LayoutField> pair = {{"key", 4, 4}, {"value", 4, 4}};
  const std::optional<Layout> layout = withinRecords(soa(pair), pair, 8);
  ASSERT_TRUE(layout);
  for (const std::uint64_t elements : {1u, 2u, 3u, 31u, 1000u}) {
    const auto bound = AddressFunction::bind(*layout, pair, elements);
    ASSERT_TRUE(bound);
    EXPECT_LE(bound->totalBytes(), elements * 8);
  }
  // An odd number of floats ends between the addresses of doubles.
  const std::vector<LayoutField> mixed = {{"x", 8, 8}, {"y", 4, 4}, {"z", 4, 4}};
  EXPECT_FALSE(withinRecords(soa(mixed), mixed, 16));
  EXPECT_FALSE(withinRecords(aosoa(pair, 32), pair, 8));
}

} // namespace
} // namespace relayout::analysis
