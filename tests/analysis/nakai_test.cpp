// SPDX-License-Identifier: Apache-2.0
// Tests of policy nakai from a trace to a plan.
#include "relayout/analysis/nakai/nakai.h"
#include "relayout/analysis/report/nakai_plan.h"

#include "relayout/trace/writer.h"
#include "traced_program.h"

#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace relayout::analysis {
namespace {

using testing::HasSubstr;

class Nakai : public testing::Test {
protected:
  NakaiAnalysis analyze() const {
    Result<NakaiAnalysis> analysis = analyzeNakai({program.trace(), program.source()});
    EXPECT_TRUE(analysis.has_value()) << (analysis ? "" : analysis.error().text);
    return std::move(*analysis);
  }
  std::string code() const {
    const Result<NakaiAnalysis> analysis = analyzeNakai({program.trace(), program.source()});
    return analysis ? "" : codeName(analysis.error().code);
  }
  static std::string chosen(const NakaiAnalysis &analysis, std::size_t group = 0) {
    const Decision &decision = analysis.groups.at(group).decision;
    std::vector<LayoutField> fields;
    for (const std::string &name : decision.fields)
      fields.push_back({name, 4, 4});
    return (decision.keep ? "keep " : "") + describe(decision.layout, fields);
  }

  TracedProgram program;
  trace::Index record =
      program.record("Body", {"x", "y", "z", "m", "vx", "vy", "vz", "h"}); // 32 bytes
  trace::Index group = program.group(record, "main::bodies");
  trace::Index kernel = program.kernel("step");
};

TEST_F(Nakai, StreamingTwoOfEightFieldsGetsSoa) {
  program.execute(kernel, program.site(record, group, 0), 800,
                  {warpAccess([](unsigned lane) { return lane * 32; })});
  program.execute(kernel, program.site(record, group, 3), 800,
                  {warpAccess([](unsigned lane) { return lane * 32 + 12; })});
  const NakaiAnalysis analysis = analyze();
  EXPECT_EQ(chosen(analysis), "SoA");
  EXPECT_DOUBLE_EQ(analysis.groups[0].weightSum, 2 * 800 * -4.0 / 32);
  EXPECT_EQ(analysis.groups[0].elementBytes, 32u);
  EXPECT_EQ(planOf(analysis).policy, "nakai");
  EXPECT_EQ(planOf(analysis).sourceDigest, "digest");
  EXPECT_EQ(planOf(analysis).decisions[0].arrays, std::vector<std::string>{"main::bodies"});
}

TEST_F(Nakai, BroadcastReadsOfFourFieldsGetThemInOneStruct) {
  const auto loop = program.loop();
  for (const trace::Index field : {0u, 1u, 2u, 3u})
    program.execute(kernel, program.site(record, group, field, loop), 500, {broadcast()});
  const NakaiAnalysis analysis = analyze();
  EXPECT_EQ(chosen(analysis), "{x y z m} {vx vy vz h}");
  EXPECT_EQ(planOf(analysis).decisions[0].layout.clusters[0].alignment, 16u);
  EXPECT_EQ(planOf(analysis).decisions[0].layout.clusters[1].alignment, 0u);
  EXPECT_DOUBLE_EQ(analysis.groups[0].weightSum, 2000);
}

TEST_F(Nakai, AllFieldsTogetherGetAnAlignedAos) {
  program.execute(kernel, program.site(record, group, trace::kNone), 500, {scattered()});
  EXPECT_EQ(chosen(analyze()), "aligned AoS (16)");
}

TEST_F(Nakai, WhatTheSourceHasAlreadyIsKept) {
  program.trace().sites.records[record].alignment = 16;
  program.execute(kernel, program.site(record, group, trace::kNone), 500, {scattered()});
  const NakaiAnalysis analysis = analyze();
  EXPECT_EQ(chosen(analysis), "keep AoS");
  EXPECT_THAT(planOf(analysis).decisions[0].reason, HasSubstr("the source's own layout"));
}

TEST_F(Nakai, WeightsOfBothSignsAreSummed) {
  const auto a = program.site(record, group, 0);
  const auto b = program.site(record, group, 1);
  program.execute(kernel, a, 100, {streamed()}); // -100 * 31/32
  program.execute(kernel, b, 96, {scattered()}); // +96
  EXPECT_EQ(chosen(analyze()), "SoA");           // -0.875
  program.trace().counts[1].warpAccesses = 98;
  program.trace().counts[1].dropped = 97;
  const NakaiAnalysis analysis = analyze();
  EXPECT_DOUBLE_EQ(analysis.groups[0].weightSum, 98 - 100 * 31.0 / 32);
  EXPECT_EQ(chosen(analysis), "{x y} {z m vx vy vz h}");
}

TEST_F(Nakai, ASumOfZeroKeepsTheSource) {
  program.execute(kernel, program.site(record, group, 0), 32, {streamed()});
  program.execute(kernel, program.site(record, group, 1), 31, {scattered()});
  const NakaiAnalysis analysis = analyze();
  EXPECT_EQ(analysis.groups[0].weightSum, 0);
  EXPECT_TRUE(planOf(analysis).decisions[0].keep);
}

TEST_F(Nakai, GroupsOfOneRecordAreDecidedApart) {
  const auto other = program.group(record, "main::others");
  program.execute(kernel, program.site(record, group, 0), 10, {streamed()});
  program.execute(kernel, program.site(record, other, 0), 10, {broadcast()});
  const NakaiAnalysis analysis = analyze();
  EXPECT_EQ(chosen(analysis, 0), "SoA");
  EXPECT_EQ(chosen(analysis, 1), "{x} {y z m vx vy vz h}");
}

TEST_F(Nakai, ASiteOfAnUnknownArrayCountsForAllGroupsOfItsRecord) {
  const auto other = program.group(record, "main::others");
  const auto unrelated = program.group(program.record("Cell", {"a", "b"}), "cells");
  program.execute(kernel, program.site(record, trace::kNone, 0), 10, {streamed()});
  const NakaiAnalysis analysis = analyze();
  EXPECT_EQ(analysis.groups[group].sharedRows, 1u);
  EXPECT_EQ(analysis.groups[other].rows.size(), 1u);
  EXPECT_EQ(chosen(analysis, group), "SoA");
  EXPECT_EQ(chosen(analysis, other), "SoA");
  EXPECT_TRUE(analysis.groups[unrelated].rows.empty());
  EXPECT_TRUE(planOf(analysis).decisions[unrelated].keep);
  EXPECT_TRUE(analysis.unattributed.empty());
}

TEST_F(Nakai, RowsOfARecordWithoutGroupsAreSetApart) {
  const auto lonely = program.record("Lonely", {"a"});
  program.execute(kernel, program.site(lonely, trace::kNone, 0), 10, {streamed()});
  const NakaiAnalysis analysis = analyze();
  EXPECT_EQ(analysis.unattributed, std::vector<std::size_t>{0});
}

TEST_F(Nakai, UnexecutedSitesAreNamedAndUnexecutedGroupsKept) {
  const auto idle = program.group(record, "main::idle");
  const auto dead = program.site(record, idle, 0);
  program.execute(kernel, program.site(record, group, 0), 10, {streamed()});
  const NakaiAnalysis analysis = analyze();
  EXPECT_EQ(analysis.neverExecuted, std::vector<trace::Index>{dead});
  EXPECT_TRUE(planOf(analysis).decisions[idle].keep);
}

TEST_F(Nakai, AGroupWithoutARecordedAddressIsKept) {
  const auto other = program.group(record, "main::others");
  program.execute(kernel, program.site(record, group, 0), 10, {streamed()});
  program.execute(kernel, program.site(record, other, 0), 10);
  const NakaiAnalysis analysis = analyze();
  EXPECT_TRUE(planOf(analysis).decisions[other].keep);
  EXPECT_THAT(planOf(analysis).decisions[other].reason, HasSubstr("no address"));
}

TEST_F(Nakai, ASingleFieldLeavesNothingToChoose) {
  const auto only = program.group(program.record("One", {"a"}), "ones");
  program.execute(kernel, program.site(program.trace().sites.groups[only].record, only, 0), 10,
                  {streamed()});
  EXPECT_TRUE(analyze().groups[only].decision.keep);
}

TEST_F(Nakai, EveryPlanItMakesCanBeBoundAndReadBack) {
  const auto loop = program.loop();
  program.execute(kernel, program.site(record, group, 0, loop), 50, {broadcast()});
  program.execute(kernel, program.site(record, group, 5), 2, {scattered()});
  const NakaiAnalysis analysis = analyze();
  const Result<Plan> read = planFromJson(toJson(planOf(analysis)));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(toJson(*read), toJson(planOf(analysis)));
  const std::vector<LayoutField> fields = layoutFields(program.trace().sites.records[record]);
  EXPECT_TRUE(AddressFunction::bind(read->decisions[0].layout, fields, 1000).has_value());
  EXPECT_EQ(chosen(analysis), "{x} {vy} {y z m vx vz h}");
  EXPECT_EQ(analysis.groups[0].elementBytes, 16u + 16 + 24);
}

TEST_F(Nakai, SaysWhatItLacks) {
  EXPECT_EQ(code(), "RL-A01");
  program.execute(kernel, program.site(record, group, 0), 10);
  EXPECT_EQ(code(), "RL-A02");
  program.trace().complete = false;
  EXPECT_EQ(code(), "RL-T04");
}

TEST_F(Nakai, ReadsATraceFile) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("relayout_nakai_" + std::to_string(::getpid()) + ".trace"))
                               .string();
  const auto site = program.site(record, group, 0);
  program.execute(kernel, site, 10, {streamed()});
  {
    Result<trace::Writer> writer = trace::Writer::create(path);
    ASSERT_TRUE(writer.has_value());
    writer->sites(trace::toJson(program.trace().sites));
    writer->launch(program.trace().launches[0]);
    trace::WarpAccess access = streamed();
    access.site = program.trace().sites.sites[site].id;
    ASSERT_TRUE(writer->access(access));
    ASSERT_TRUE(writer->close({"step"}, program.trace().counts, {}, 1, 1, 1).has_value());
  }
  const Result<trace::TraceHandle> whole = trace::TraceHandle::open(path);
  ASSERT_TRUE(whole.has_value()) << whole.error().text;
  const Result<NakaiAnalysis> analysis = analyzeNakai(*whole);
  ASSERT_TRUE(analysis.has_value()) << analysis.error().text;
  EXPECT_EQ(chosen(*analysis), "SoA");
  std::filesystem::resize_file(path, std::filesystem::file_size(path) - 1);
  const Result<trace::TraceHandle> damaged = trace::TraceHandle::open(path);
  ASSERT_TRUE(damaged.has_value()) << damaged.error().text;
  EXPECT_EQ(analyzeNakai(*damaged).error().code, Code::IncompleteTrace);
  std::filesystem::remove(path);
  EXPECT_EQ(trace::TraceHandle::open(path).error().code, Code::TraceUnreadable);
}

} // namespace
} // namespace relayout::analysis
