// SPDX-License-Identifier: Apache-2.0
// What the search learns of a record's fields from how they are accessed.
#include "replay/search/search_space.h"
#include "replay_cases.h"
#include "replay_machine.h"

#include "relayout/analysis/replay/replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

using testing::ElementsAre;
using trace::AccessKind;
using Warp = SyntheticProgram::Warp;

/// Of the program's first record.
SearchSpace spaceOf(const SyntheticProgram &program) {
  const ReplaySample sample = collectSample(program.trace(), program.source(), h100(), {}).value();
  return searchSpace(program.trace(), sample, 0, layoutFields(program.trace().sites.records[0]));
}

TEST(SearchSpace, FieldsThatAllAccessesTreatAlikeAreOfOneKind) {
  SyntheticProgram program(32);
  const trace::Index record =
      program.record({{"a", 4}, {"b", 4}, {"c", 4}, {"d", 4}, {"wide", 8}, {"e", 4}, {"f", 4}});
  const std::uint32_t records = program.array(1 << 12, 32);
  std::vector<trace::Index> sites;
  for (const trace::Index field : {0u, 1u, 2u, 3u, 4u})
    sites.push_back(program.site(record, field));
  sites.push_back(program.site(record, 3, AccessKind::Write));
  program.kernel("k", 64, 1, [=](Warp &warp) {
    for (const trace::Index site : sites)
      warp.touch(site, records, [&](unsigned lane) { return warp.thread(lane); });
  });
  EXPECT_THAT(spaceOf(program).kinds, ElementsAre(0, 0, 0, 3, 4, 5, 5))
      << "a, b and c are read, d is written as well, e and f are never used";
}

TEST(SearchSpace, ArrayMembersAreOfKindsOfTheirOwn) {
  SyntheticProgram program(32);
  const trace::Index record = program.floats({"a", "b", "c"});
  program.makeArrays(record, {2, 2, 1});
  const std::uint32_t records = program.array(1 << 12, 20);
  const trace::Index site = program.site(record, 2);
  program.kernel("k", 64, 1, [=](Warp &warp) {
    warp.touch(site, records, [&](unsigned lane) { return warp.thread(lane); });
  });
  EXPECT_THAT(spaceOf(program).kinds, ElementsAre(0, 1, 2));
}

} // namespace
} // namespace relayout::analysis
