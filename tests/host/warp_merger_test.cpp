// SPDX-License-Identifier: Apache-2.0
// The warp merger alone: event streams in, warp accesses out.
#include "warp_merger.h"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <vector>

namespace relayout::host {
namespace {

using probe::detail::Event;
using probe::detail::eventKey;
using probe::detail::EventKind;

Event access(std::uint32_t site) { return {eventKey(EventKind::Access, site, 4), site}; }
Event enter(std::uint32_t loop) { return {eventKey(EventKind::LoopEnter, loop), 0}; }
Event next(std::uint32_t loop) { return {eventKey(EventKind::LoopNext, loop), 0}; }
Event leave(std::uint32_t loop) { return {eventKey(EventKind::LoopExit, loop), 0}; }
const Event kStarved{eventKey(EventKind::Starved, 0), 0};
const Event kFinished{eventKey(EventKind::Finished, 0), 0};

struct Log {
  void access(std::uint64_t key, std::uint32_t mask, const WarpMerger::Streams &) {
    add("site " + std::to_string(probe::detail::eventId(key)) + " by " + std::to_string(mask));
  }
  void loopEntered(std::uint32_t id) { add("enter " + std::to_string(id)); }
  void loopIterated(std::uint32_t id, std::uint64_t times) {
    add("next " + std::to_string(id) + (times == 1 ? "" : " times " + std::to_string(times)));
  }
  void add(const std::string &line) { lines.push_back(line); }
  std::vector<std::string> lines;
};

/// Two lanes, 1 and 2 in masks.
struct TwoLanes {
  explicit TwoLanes(std::vector<Event> first, std::vector<Event> second)
      : events{std::move(first), std::move(second)} {
    merger.reset(3);
    streams[0] = events[0].data();
    streams[1] = events[1].data();
  }
  bool advance() { return merger.advance(streams, log); }

  std::array<std::vector<Event>, 2> events;
  WarpMerger merger;
  WarpMerger::Streams streams{};
  Log log;
};

TEST(WarpMerger, LanesAtTheSameSiteGoTogether) {
  TwoLanes lanes({access(1), access(2), kFinished}, {access(1), access(2), kFinished});
  EXPECT_TRUE(lanes.advance());
  EXPECT_THAT(lanes.log.lines, testing::ElementsAre("site 1 by 3", "site 2 by 3"));
}

TEST(WarpMerger, TheFirstSiteInTheProgramGoesFirst) {
  TwoLanes lanes({access(3), access(4), kFinished}, {access(1), access(4), kFinished});
  EXPECT_TRUE(lanes.advance());
  EXPECT_THAT(lanes.log.lines, testing::ElementsAre("site 1 by 2", "site 3 by 1", "site 4 by 3"));
}

TEST(WarpMerger, WaitsForALaneWhoseNextStepIsUnknown) {
  TwoLanes lanes({access(5), kFinished}, {access(1), kStarved});
  EXPECT_FALSE(lanes.advance());
  EXPECT_THAT(lanes.log.lines, testing::ElementsAre("site 1 by 2"));
  const std::vector<Event> rest = {access(5), kFinished};
  lanes.streams[1] = rest.data();
  EXPECT_TRUE(lanes.advance());
  EXPECT_THAT(lanes.log.lines, testing::ElementsAre("site 1 by 2", "site 5 by 3"));
}

TEST(WarpMerger, AnEmptyLoopAndAnUnequalOne) {
  TwoLanes lanes({enter(1), next(1), access(2), next(1), leave(1), access(3), kFinished},
                 {enter(1), next(1), leave(1), access(3), kFinished});
  EXPECT_TRUE(lanes.advance());
  EXPECT_THAT(lanes.log.lines,
              testing::ElementsAre("enter 1", "next 1", "site 2 by 1", "next 1", "site 3 by 3"));
}

TEST(WarpMerger, AccessesBeforeTheFirstIterationAreOfTheInitialiser) {
  TwoLanes lanes({enter(1), access(2), next(1), leave(1), kFinished},
                 {enter(1), access(2), next(1), leave(1), kFinished});
  EXPECT_TRUE(lanes.advance());
  EXPECT_THAT(lanes.log.lines, testing::ElementsAre("enter 1", "site 2 by 3", "next 1"));
}

TEST(WarpMerger, ALoopThatCountsForItselfIsAsLongAsItsSlowestLane) {
  const auto bare = [](std::uint64_t times) {
    return Event{eventKey(EventKind::BareLoop, 1), times};
  };
  TwoLanes lanes({bare(3), access(2), kFinished}, {bare(8), access(2), kFinished});
  EXPECT_TRUE(lanes.advance());
  EXPECT_THAT(lanes.log.lines, testing::ElementsAre("enter 1", "next 1 times 8", "site 2 by 3"));
}

TEST(WarpMergerDeathTest, StreamsThatDoNotNestAreABugOfOurs) {
  TwoLanes lanes({leave(1), kFinished}, {leave(1), kFinished});
  EXPECT_DEATH(lanes.advance(), "internal error.*RL-H00");
}

} // namespace
} // namespace relayout::host
