// SPDX-License-Identifier: Apache-2.0
// Which layouts are tried, and which of them are the same to the hardware or to a reader.
#include "replay/search/candidates.h"
#include "replay/search/vector_chunks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

/// `struct alignas(alignment) Record { float a; double b; int c[2]; };`
trace::Record recordAligned(std::uint32_t alignment) {
  trace::Record record;
  record.name = "Record";
  record.bytes = alignment == 16 ? 32 : 24;
  record.alignment = alignment;
  const auto field = [&record](const char *name, std::uint32_t offset, std::uint32_t bytes,
                               std::uint32_t naturally, std::uint32_t count) {
    trace::Field added;
    added.name = name;
    added.offset = offset;
    added.bytes = bytes;
    added.alignment = naturally;
    added.count = count;
    record.fields.push_back(added);
  };
  field("a", 0, 4, 4, 1);
  field("b", 8, 8, 8, 1);
  field("c", 16, 8, 4, 2);
  return record;
}

TEST(Candidates, TheSourceIsItsFieldsInOrderAsTheRecordIsAligned) {
  const trace::Record plain = recordAligned(8);
  const trace::Record aligned = recordAligned(16);
  const std::vector<LayoutField> fields = layoutFields(plain);
  EXPECT_TRUE(isAsDeclared(aos(fields), plain));
  EXPECT_FALSE(isAsDeclared(alignedAos(fields, 16), plain));
  EXPECT_FALSE(isAsDeclared(aos(fields), aligned));
  EXPECT_TRUE(isAsDeclared(alignedAos(fields, 16), aligned));
  EXPECT_FALSE(isAsDeclared(soa(fields), plain));
  EXPECT_FALSE(isAsDeclared(Layout{.clusters = {{{1, 0, 2}}}}, plain)) << "packed";
  trace::Record unaligned = plain; // attribute packed
  unaligned.fields[1].offset = 4;
  EXPECT_FALSE(isAsDeclared(aos(fields), unaligned));
}

TEST(Candidates, WhatHasNoEffectIsLeftOut) {
  const std::vector<LayoutField> fields = layoutFields(recordAligned(8));
  Layout one = alignedAos(fields, 8);
  one.tile = 32;
  one.padBytes = 128;
  EXPECT_EQ(canonical(one, fields), aos(fields));
  EXPECT_EQ(canonical(alignedAos(fields, 16), fields), alignedAos(fields, 16));
  Layout planes = aosoa(fields, 32);
  planes.padBytes = 128;
  EXPECT_EQ(canonical(planes, fields), planes);
  const Layout exploded{.clusters = {{{2}, 0, true}}, .tile = 32};
  EXPECT_EQ(canonical(exploded, {fields[0], fields[1], fields[2]}), exploded);
}

TEST(Candidates, NoneIsTriedTwice) {
  const SearchSpace space{layoutFields(recordAligned(8)), {0b001, 0b110, 0b011}, {32, 64}};
  const std::vector<Layout> first = firstCandidates(space);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(canonical(first[i], space.fields), first[i]);
    for (std::size_t j = 0; j < i; ++j)
      EXPECT_NE(first[i], first[j]);
  }
  Layout padded = soa(space.fields);
  padded.padBytes = 128;
  padded.tile = 32;
  for (const Layout &next : adjacentLayouts(padded, space))
    EXPECT_EQ(canonical(next, space.fields), next) << describe(next, space.fields);
}

TEST(Candidates, LongArraysAreNotTakenApart) {
  std::vector<LayoutField> fields = layoutFields(recordAligned(8));
  const auto explodes = [&fields] {
    const SearchSpace space{fields, {0b100}, {32}};
    std::vector<Layout> tried = firstCandidates(space);
    for (Layout &next : adjacentLayouts(soa(fields), space))
      tried.push_back(std::move(next));
    return std::ranges::any_of(tried, [](const Layout &layout) {
      return std::ranges::any_of(layout.clusters, &Cluster::exploded);
    });
  };
  EXPECT_TRUE(explodes());
  fields[2].count = 1 << 22; // struct Frame { …, float pixels[1 << 22]; };
  fields[2].bytes = 4 << 22;
  EXPECT_FALSE(explodes());
}

TEST(Candidates, FieldsThatAreTreatedAlikeAreExchangedForOneAnother) {
  trace::Record record;
  for (std::uint32_t f = 0; f < 6; ++f) {
    trace::Field field;
    field.name = std::string(1, static_cast<char>('a' + f));
    field.offset = 4 * f;
    field.bytes = field.alignment = 4;
    field.count = 1;
    record.fields.push_back(field);
  }
  record.bytes = 24;
  record.alignment = 4;
  SearchSpace space{layoutFields(record), {0b001111, 0b110000}, {}};
  const auto pairs = [&space] {
    std::size_t found = 0;
    for (const Layout &next : adjacentLayouts(soa(space.fields), space))
      found += next.clusters.size() == 5 ? 1 : 0;
    return found;
  };
  EXPECT_EQ(pairs(), 15);
  space.kinds = {0, 0, 0, 0, 4, 4};
  EXPECT_EQ(pairs(), 3) << "{a b}, {a e}, {e f}";
  const Layout ab{.clusters = {{{0, 1}}, {{2}}, {{3}}, {{4}}, {{5}}}};
  const Layout cd{.clusters = {{{0}}, {{1}}, {{2, 3}}, {{4}}, {{5}}}};
  const Layout ae{.clusters = {{{0, 4}}, {{1}}, {{2}}, {{3}}, {{5}}}};
  EXPECT_EQ(shapeOf(ab, space), shapeOf(cd, space));
  EXPECT_NE(shapeOf(ab, space), shapeOf(ae, space));
  Layout aligned = cd;
  aligned.clusters[2].alignment = 8;
  EXPECT_NE(shapeOf(ab, space), shapeOf(aligned, space));
}

std::vector<LayoutField> floats(std::uint32_t count) {
  trace::Record record;
  for (std::uint32_t f = 0; f < count; ++f) {
    trace::Field field;
    field.name = std::string(1, static_cast<char>('a' + f));
    field.offset = 4 * f;
    field.bytes = field.alignment = 4;
    field.count = 1;
    record.fields.push_back(field);
  }
  record.bytes = 4 * count;
  record.alignment = 4;
  return layoutFields(record);
}

TEST(Candidates, ChunksAreAsWideAsAVector) {
  const auto chunksOf = [](std::uint32_t fields, std::vector<std::uint64_t> mainUses,
                           std::uint32_t bytes, bool isDense = false) {
    SearchSpace space{floats(fields), mainUses, {}};
    space.mainUses = std::move(mainUses);
    std::vector<std::vector<std::uint32_t>> chunks;
    for (const Part &part : vectorChunks(space, bytes, isDense))
      chunks.push_back(part.fields);
    return chunks;
  };
  using testing::ElementsAre;
  // {place} is read first, then all but the acceleration: two vectors.
  EXPECT_THAT(chunksOf(11, {0b00000000111, 0b11000111111}, 16),
              ElementsAre(ElementsAre(3, 4, 5, 9), ElementsAre(0, 1, 2, 10), ElementsAre(6, 7, 8)));
  // A rest of one use fills up that of another where both are used together.
  EXPECT_THAT(chunksOf(4, {0b0111, 0b1000, 0b1111}, 16), testing::IsEmpty()) << "one chunk";
  EXPECT_THAT(chunksOf(5, {0b00111, 0b01111, 0b10000}, 16),
              ElementsAre(ElementsAre(0, 1, 2, 3), ElementsAre(4)));
  EXPECT_THAT(chunksOf(4, {0b1111}, 8), ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3)));
  // {place} first, then {density pressure}, then {velocity}: each a vector, or two filled up.
  const std::vector<std::uint64_t> inTurn{0b00000000111, 0b11000000000, 0b00000111000};
  EXPECT_THAT(chunksOf(11, inTurn, 16), ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5),
                                                    ElementsAre(6, 7, 8), ElementsAre(9, 10)));
  EXPECT_THAT(chunksOf(11, inTurn, 16, true),
              ElementsAre(ElementsAre(0, 1, 2, 9), ElementsAre(3, 4, 5, 10), ElementsAre(6, 7, 8)));
  EXPECT_THAT(chunksOf(3, {0b001, 0b010, 0b100}, 16), testing::IsEmpty()) << "SoA";
}

TEST(Candidates, AnotherLayoutIsOneThatReadsDifferently) {
  const std::vector<LayoutField> fields = layoutFields(recordAligned(8));
  const Layout split{.clusters = {{{0, 1}, 16}, {{2}}}};
  const auto like = [&split](auto change) {
    Layout layout = split;
    change(layout);
    return layout;
  };
  const Layout reordered = like([](Layout &layout) { layout.clusters[0].fields = {1, 0}; });
  const Layout otherwiseAligned = like([](Layout &layout) { layout.clusters[0].alignment = 0; });
  const Layout padded = like([](Layout &layout) { layout.padBytes = 128; });
  for (const Layout &same : {split, reordered, otherwiseAligned, padded}) {
    EXPECT_TRUE(splitsAlike(split, same));
    EXPECT_FALSE(isAnotherLayout(split, same));
  }
  const Layout tiled = like([](Layout &layout) { layout.tile = 32; });
  EXPECT_TRUE(splitsAlike(split, tiled));
  EXPECT_TRUE(isAnotherLayout(split, tiled));
  EXPECT_TRUE(isAnotherLayout(split, soa(fields)));
  EXPECT_TRUE(isAnotherLayout(soa(fields), explodedSoa(fields)));
  EXPECT_TRUE(isAnotherLayout(aos(fields), alignedAos(fields, 16)));
  EXPECT_TRUE(isAnotherLayout(aos(fields), Layout{.clusters = {{{1, 0, 2}}}}));
}

} // namespace
} // namespace relayout::analysis
