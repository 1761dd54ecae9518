// SPDX-License-Identifier: Apache-2.0
// Accesses of the source against machine instructions, from a trace and a counter run made up.
#include "relayout/gpu/line_instructions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace relayout::gpu {
namespace {

trace::Site site(std::uint32_t id, trace::AccessKind kind, std::uint32_t bytes,
                 std::uint32_t line) {
  trace::Site made;
  made.id = id;
  made.kind = kind;
  made.bytes = bytes;
  made.place = {"src/sim.cu", line, 1};
  return made;
}

/// Line 10: two reads of words; line 11: a write of 32 bytes; line 12: a read.
trace::Trace makeTrace() {
  trace::Trace trace;
  trace.kernels = {"sim::step", "sim::other"};
  trace.sites.sites = {
      site(1, trace::AccessKind::Read, 4, 10), site(2, trace::AccessKind::Read, 4, 10),
      site(3, trace::AccessKind::Write, 32, 11), site(4, trace::AccessKind::Read, 4, 12)};
  const auto count = [&](trace::Index kernel, std::uint32_t id, std::uint64_t accesses) {
    trace::SiteCount row;
    row.kernel = kernel;
    row.site = id;
    row.warpAccesses = accesses;
    trace.counts.push_back(row);
  };
  count(0, 1, 100);
  count(0, 2, 300);
  count(0, 3, 50);
  count(0, 4, 70);
  count(1, 4, 5);
  return trace;
}

constexpr const char *kReport = R"json({"counters": {"lines": [
  {"file": "/home/me/src/sim.cu", "line": 10, "kernel": "void sim::step<float>(Body*, int)", "kind": "read",
   "launches": 2, "counted_launches": 2, "warp_instructions": 60},
  {"file": "/home/me/src/sim.cu", "line": 10, "kernel": "void sim::step<double>(Body*, int)", "kind": "read",
   "launches": 1, "counted_launches": 1, "warp_instructions": 40},
  {"file": "/home/me/src/sim.cu", "line": 11, "kernel": "void sim::step<float>(Body*, int)", "kind": "write",
   "launches": 2, "counted_launches": 2, "warp_instructions": 100},
  {"file": "/home/me/other/sim.cu", "line": 12, "kernel": "void sim::step<float>(Body*, int)", "kind": "read",
   "launches": 2, "counted_launches": 2, "warp_instructions": 7},
  {"file": "/home/me/src/sim.cu", "line": 12, "kernel": "sim::other(Body*)", "kind": "read",
   "launches": 9, "counted_launches": 5, "warp_instructions": 5}
]}})json";

TEST(LineInstructions, ComparesKernelByKernelAndLineByLine) {
  const trace::Trace trace = makeTrace();
  const auto comparison = compareLines(trace, kReport);
  ASSERT_TRUE(comparison);
  ASSERT_EQ(comparison->rows.size(), 3u);
  EXPECT_EQ(comparison->rows[0].accesses, 400u);
  EXPECT_EQ(comparison->rows[0].instructions, 100u); // of both instantiations
  EXPECT_DOUBLE_EQ(comparison->rows[0].perAccess(), 0.25);
  EXPECT_DOUBLE_EQ(comparison->rows[1].perAccess(), 2.0);
  EXPECT_DOUBLE_EQ(comparison->rows[2].perAccess(), 0.0); // another file's line 12 is not this one
  EXPECT_THAT(comparison->uncountedKernels, testing::ElementsAre("sim::other"));
}

TEST(LineInstructions, SitesAreScaledAsTheirLine) {
  const trace::Trace trace = makeTrace();
  const auto comparison = compareLines(trace, kReport);
  ASSERT_TRUE(comparison);
  EXPECT_DOUBLE_EQ(*instructionsOf(*comparison, trace, trace.counts[0]), 25.0);
  EXPECT_DOUBLE_EQ(*instructionsOf(*comparison, trace, trace.counts[1]), 75.0);
  EXPECT_FALSE(instructionsOf(*comparison, trace, trace.counts[4]));
}

TEST(LineInstructions, TheReportGetsARowASite) {
  const trace::Trace trace = makeTrace();
  const auto report = addSiteInstructions(kReport, *compareLines(trace, kReport), trace);
  ASSERT_TRUE(report);
  const auto json = nlohmann::json::parse(*report)["counters"];
  EXPECT_EQ(json["lines"].size(), 5u) << "what was there stays";
  ASSERT_EQ(json["site_instructions"].size(), 4u);
  EXPECT_EQ(json["site_instructions"][1]["site"], 2u);
  EXPECT_EQ(json["site_instructions"][1]["warp_accesses"], 300u);
  EXPECT_EQ(json["site_instructions"][1]["warp_instructions"], 75.0);
  EXPECT_FALSE(addSiteInstructions("[]", {}, trace));
}

TEST(LineInstructions, OtherArraysOfALineDoNotCountAsAccessesToRecords) {
  trace::Trace trace = makeTrace();
  trace.counts.resize(1); // 100 reads of a word on line 10
  const auto comparison = compareLines(trace, R"json({"lines": [
    {"file": "src/sim.cu", "line": 10, "kernel": "sim::step(Body*)", "kind": "read",
     "launches": 1, "counted_launches": 1, "warp_instructions": 250}]})json");
  ASSERT_TRUE(comparison);
  EXPECT_EQ(comparison->rows[0].instructions, 250u);
  EXPECT_DOUBLE_EQ(comparison->rows[0].perAccess(), 1.0);
}

TEST(LineInstructions, AtomicsOfCudasHeaderBelongToTheOnlyLineThatHasSome) {
  trace::Trace trace = makeTrace();
  trace.sites.sites.push_back(site(5, trace::AccessKind::Atomic, 4, 20));
  trace.sites.sites.push_back(site(6, trace::AccessKind::Atomic, 4, 21));
  trace.counts.push_back({.kernel = 0, .site = 5, .warpAccesses = 80});
  const char *const report = R"json({"lines": [
    {"file": "/usr/local/cuda/include/device_atomic_functions.hpp", "line": 107,
     "kernel": "sim::step()", "kind": "atomic", "launches": 1, "counted_launches": 1,
     "warp_instructions": 60}]})json";
  const auto atomicRows = [&] {
    const auto comparison = compareLines(trace, report);
    std::vector<LineInstructions> rows = comparison->rows;
    std::erase_if(rows, [](const auto &row) { return row.kind != trace::AccessKind::Atomic; });
    return rows;
  };
  ASSERT_EQ(atomicRows().size(), 1u);
  EXPECT_EQ(atomicRows()[0].line, 20u);
  EXPECT_EQ(atomicRows()[0].instructions, 60u);
  trace.counts.push_back({.kernel = 0, .site = 6, .warpAccesses = 80});
  EXPECT_TRUE(atomicRows().empty()) << "of which of two lines is not known";
}

TEST(LineInstructions, NothingIsSaidWithoutLineNumbers) {
  const trace::Trace trace = makeTrace();
  EXPECT_FALSE(compareLines(trace, ""));
  EXPECT_FALSE(compareLines(trace, "{}"));
  EXPECT_FALSE(compareLines(trace, R"json({"lines": []})json"));
  EXPECT_FALSE(compareLines(trace, R"json({"lines": [{"file": "", "line": 0,
    "kernel": "sim::step()", "kind": "read", "launches": 1, "counted_launches": 1,
    "warp_instructions": 9}]})json"));
}

TEST(LineInstructions, TheTableSaysWhereAndHowMuch) {
  const trace::Trace trace = makeTrace();
  const auto comparison = compareLines(trace, kReport);
  ASSERT_TRUE(comparison);
  const std::string table = describeLines(*comparison, trace);
  EXPECT_THAT(table, testing::HasSubstr("src/sim.cu:10 read in sim::step:"));
  EXPECT_THAT(table, testing::HasSubstr("x 0.250"));
  EXPECT_THAT(table, testing::HasSubstr("sim::other: not every launch was counted"));
  EXPECT_EQ(describeLines({}, trace), "");
}

} // namespace
} // namespace relayout::gpu
