// SPDX-License-Identifier: Apache-2.0
// Tests of the order of elements: places worked out by hand, every order a bijection.
#include "relayout/analysis/layout/layout.h"
#include "relayout/analysis/plan/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace relayout::analysis {
namespace {

using testing::ElementsAre;

const std::vector<LayoutField> kScalar = {{"value", 8, 8}};
const std::vector<LayoutField> kPadded = {{"c", 1, 1}, {"d", 8, 8}, {"v", 12, 4, 3}};

std::vector<std::uint64_t> placesOf(const ElementOrder &order, std::uint64_t elements) {
  const Result<ElementPlaces> places = ElementPlaces::bind(order, elements);
  EXPECT_TRUE(places.has_value()) << places.error().text;
  std::vector<std::uint64_t> result;
  for (std::uint64_t e = 0; e < elements; ++e)
    result.push_back(places->of(e));
  return result;
}

TEST(ElementOrder, TransposesAMatrix) { // a[3][2] as a[2][3]
  EXPECT_THAT(placesOf({{2}, {1, 0}}, 6), ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(ElementOrder, ExchangesTheInnerIndices) { // a[2][3][2] as a[2][2][3]
  EXPECT_THAT(placesOf({{2, 3}, {1, 0, 2}}, 12), ElementsAre(0, 3, 1, 4, 2, 5, 6, 9, 7, 10, 8, 11));
}

TEST(ElementOrder, MakesBricks) { // rows of 4 in bricks of 2 by 2
  const ElementOrder bricks{{2, 2, 2}, {0, 2, 1, 3}};
  EXPECT_THAT(placesOf(bricks, 8), ElementsAre(0, 1, 4, 5, 2, 3, 6, 7));
}

TEST(ElementOrder, RoundsTheHighestIndexUp) {
  const Result<ElementPlaces> places = ElementPlaces::bind({{4}, {1, 0}}, 9);
  ASSERT_TRUE(places.has_value());
  EXPECT_EQ(places->count(), 12u);
  EXPECT_EQ(places->of(8), 2u);
  EXPECT_EQ(places->of(7), 10u);
}

TEST(ElementOrder, PadsRows) { // a[2][3] with rows of 4 places
  const Result<ElementPlaces> rows =
      ElementPlaces::bind({.extents = {3}, .digits = {0, 1}, .multiples = {4, 1}}, 6);
  ASSERT_TRUE(rows.has_value());
  EXPECT_EQ(rows->count(), 8u);
  EXPECT_THAT(placesOf({.extents = {3}, .digits = {0, 1}, .multiples = {4, 1}}, 6),
              ElementsAre(0, 1, 2, 4, 5, 6));
}

TEST(ElementOrder, PadsTheHighestIndex) { // a[3][2] as a[2][4]
  EXPECT_THAT(placesOf({.extents = {2}, .digits = {1, 0}, .multiples = {1, 4}}, 6),
              ElementsAre(0, 4, 1, 5, 2, 6));
}

TEST(ElementOrder, KeepsFieldsOfElementsApartInEveryLayout) {
  const std::vector<ElementOrder> orders = {{{4}, {1, 0}},
                                            {{7}, {1, 0}},
                                            {{4, 3}, {1, 0, 2}},
                                            {{2, 5}, {2, 1, 0}},
                                            {{2, 2, 2}, {0, 2, 1, 3}},
                                            {{4}, {0, 1}, {}, {8, 1}},
                                            {{4, 3}, {1, 0, 2}, {}, {3, 4, 8}},
                                            {{2, 5}, {2, 1, 0}, {}, {1, 1, 32}}};
  for (const ElementOrder &order : orders)
    for (const std::uint64_t elements : {1u, 5u, 24u, 97u})
      for (Layout layout : {aos(kPadded), alignedAos(kPadded, 16), soa(kPadded),
                            explodedSoa(kPadded), aosoa(kPadded, 8)}) {
        layout.order = order;
        const Result<AddressFunction> bound = AddressFunction::bind(layout, kPadded, elements);
        ASSERT_TRUE(bound.has_value()) << bound.error().text;
        const Result<void> disjoint =
            proveDisjoint(elements, kPadded, bound->totalBytes(),
                          [&](std::uint64_t element, std::uint32_t field, std::uint32_t lane) {
                            return bound->offset(element, field, lane);
                          });
        EXPECT_TRUE(disjoint.has_value()) << disjoint.error().text;
      }
}

TEST(ElementOrder, IsDescribedByItsIndices) {
  EXPECT_EQ(describe(ElementOrder{{16, 256}, {1, 0, 2}}), "[i][j:256][k:16] as [i][k][j]");
  EXPECT_EQ(describe(ElementOrder{{16}, {1, 0}, {"nz"}}), "[i][j:nz=16] as [j][i]");
  EXPECT_EQ(describe(ElementOrder{{16}, {1, 0}, {}, {1, 8}}), "[i][j:16] as [j][i to 8]");
  Layout layout = aos(kScalar);
  layout.order = {{16}, {1, 0}};
  EXPECT_EQ(describe(layout, kScalar), "[i][j:16] as [j][i]");
}

TEST(ElementOrder, RefusesWhatIsNoPermutation) {
  for (const ElementOrder &order :
       {ElementOrder{{4}, {0}}, ElementOrder{{4}, {0, 0}}, ElementOrder{{4}, {0, 2}},
        ElementOrder{{1}, {1, 0}}, ElementOrder{{1ull << 40, 1ull << 40}, {1, 0, 2}},
        ElementOrder{{4}, {1, 0}, {"n", "m"}}, ElementOrder{{4}, {1, 0}, {}, {8}},
        ElementOrder{{4}, {1, 0}, {}, {8, 0}}}) {
    const Result<ElementPlaces> places = ElementPlaces::bind(order, 100);
    ASSERT_FALSE(places.has_value());
    EXPECT_STREQ(codeName(places.error().code), "RL-L06");
  }
}

TEST(ElementOrder, IsPartOfAPlan) {
  Plan plan;
  plan.policy = "replay";
  Decision decision;
  decision.record = "double";
  decision.arrays = {"main::u"};
  decision.fields = {"value"};
  decision.layout = aos(kScalar);
  decision.layout.order = {{16, 4}, {1, 0, 2}, {"nz", ""}, {1, 1, 8}};
  plan.decisions.push_back(decision);
  const Result<Plan> read = planFromJson(toJson(plan));
  ASSERT_TRUE(read.has_value()) << read.error().text;
  EXPECT_EQ(read->decisions[0].layout, decision.layout);
}

} // namespace
} // namespace relayout::analysis
