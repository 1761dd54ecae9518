// SPDX-License-Identifier: Apache-2.0
// What is known of an array's extents where it is allocated.
#include "relayout/trace/extent_notes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::trace {
namespace {

using testing::ElementsAre;

std::vector<std::string> textsOf(const std::vector<Extent> &extents) {
  std::vector<std::string> texts;
  for (const Extent &extent : extents)
    texts.push_back(extent.text);
  return texts;
}

TEST(ExtentNotes, FactorsComeFirstThenThoseOfCallersInnermostFirst) {
  ExtentNotes notes;
  notes.callBegins({{"outer", 4}});
  notes.callBegins({{"inner", 8}});
  EXPECT_THAT(textsOf(notes.of({{"ny", 16}}, {{"n", 512}, {"3", 3}})),
              ElementsAre("ny", "inner", "outer", "n", "3"));
  notes.callEnds();
  EXPECT_THAT(textsOf(notes.of({}, {})), ElementsAre("outer"));
}

TEST(ExtentNotes, ANameOfTheFunctionsOwnHidesTheCallers) {
  ExtentNotes notes;
  notes.callBegins({{"n", 4}, {"nx", 2}});
  const std::vector<Extent> known = notes.of({}, {{"n", 512}});
  ASSERT_THAT(textsOf(known), ElementsAre("nx", "n"));
  EXPECT_EQ(known[1].value, 512U);
}

TEST(ExtentNotes, EachIsKnownOnceAndConstantsOnceADigit) {
  const std::vector<Extent> rows = {{"32", 32, 1}, {"32", 32, 2}, {"32", 32, 1}, {"n", 5, 1}};
  EXPECT_THAT(textsOf(ExtentNotes().of(rows, {{"n", 5, 2}})), ElementsAre("32", "32", "n"));
}

} // namespace
} // namespace relayout::trace
