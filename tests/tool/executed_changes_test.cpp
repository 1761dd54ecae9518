// SPDX-License-Identifier: Apache-2.0
// What of a plan a run has executed, by the accesses that its trace counts.
#include "stages/executed_changes.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace relayout::tool {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::uint32_t kBodySite = 7;  // knows its array
constexpr std::uint32_t kTrailSite = 8; // of any array of trails

/// A program with two records; the second has two groups of arrays.
trace::TraceHandle traceOf(const std::vector<std::uint32_t> &executedSites,
                           const std::vector<std::uint64_t> &addresses = {}) {
  trace::Trace trace;
  trace.allocations = {{.address = 1000, .bytes = 100, .group = 0},
                       {.address = 2000, .bytes = 100, .group = 1},
                       {.address = 3000, .bytes = 100}};
  trace.sites.records = {trace::Record{.name = "Body"}, trace::Record{.name = "Trail"}};
  trace.sites.groups = {trace::Group{.record = 0, .arrays = {"move::b"}},
                        trace::Group{.record = 1, .arrays = {"fade::t"}},
                        trace::Group{.record = 1, .arrays = {"draw::t"}}};
  trace.sites.sites = {trace::Site{.id = kBodySite, .record = 0, .group = 0},
                       trace::Site{.id = kTrailSite, .record = 1}};
  for (const std::uint32_t site : executedSites)
    trace.counts.push_back({.kernel = 0, .site = site, .warpAccesses = 1});
  return {std::move(trace),
          [addresses](const std::function<bool(const trace::WarpAccess &)> &callback) {
            for (const std::uint64_t address : addresses) {
              trace::WarpAccess access{.site = kBodySite, .activeMask = 4};
              access.addresses[2] = address;
              if (!callback(access))
                break;
            }
            return Result<void>();
          }};
}

analysis::Plan planThatChanges(const std::vector<std::string> &arrays) {
  analysis::Plan plan;
  for (const char *name : {"move::b", "fade::t", "draw::t"}) {
    analysis::Decision decision;
    decision.record = std::string(name) == "move::b" ? "Body" : "Trail";
    decision.arrays = {name};
    decision.keep = std::ranges::find(arrays, name) == arrays.end();
    plan.decisions.push_back(decision);
  }
  return plan;
}

TEST(UnexecutedChanges, AreThoseOfGroupsWithoutAccesses) {
  const UnexecutedChanges some =
      unexecutedChanges(planThatChanges({"move::b", "fade::t"}), traceOf({kBodySite}));
  EXPECT_THAT(some.arrays, ElementsAre("'Trail' around 'fade::t'"));
  EXPECT_FALSE(some.areAll);
  const UnexecutedChanges all =
      unexecutedChanges(planThatChanges({"fade::t"}), traceOf({kBodySite}));
  EXPECT_THAT(all.arrays, ElementsAre("'Trail' around 'fade::t'"));
  EXPECT_TRUE(all.areAll);
}

TEST(UnexecutedChanges, AnAccessOfUnknownArrayMayBeToAny) {
  const UnexecutedChanges none =
      unexecutedChanges(planThatChanges({"fade::t", "draw::t"}), traceOf({kTrailSite}));
  EXPECT_THAT(none.arrays, IsEmpty());
  EXPECT_FALSE(none.areAll);
}

/// Instances of one template share a site.
TEST(UnexecutedChanges, AnAccessIsToTheArrayAtItsAddress) {
  const analysis::Plan plan = planThatChanges({"move::b", "fade::t", "draw::t"});
  const UnexecutedChanges one = unexecutedChanges(plan, traceOf({kBodySite}, {1000, 2096, 3000}));
  EXPECT_THAT(one.arrays, ElementsAre("'Trail' around 'draw::t'"));
  const UnexecutedChanges two = unexecutedChanges(plan, traceOf({kBodySite}, {1000, 3000}));
  EXPECT_THAT(two.arrays, ElementsAre("'Trail' around 'fade::t'", "'Trail' around 'draw::t'"));
}

TEST(UnexecutedChanges, WhatIsKeptIsNoChange) {
  const UnexecutedChanges none = unexecutedChanges(planThatChanges({}), traceOf({}));
  EXPECT_THAT(none.arrays, IsEmpty());
  EXPECT_FALSE(none.areAll);
}

} // namespace
} // namespace relayout::tool
