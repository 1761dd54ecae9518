// SPDX-License-Identifier: Apache-2.0
// Tests of merging and clustering, with the paper's own example.
#include "relayout/analysis/nakai/clustering.h"

#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

using Fields = std::set<std::uint32_t>;

LoopNode node(const std::string &kernel, trace::Index loop, std::uint64_t count, Fields fields) {
  return {{{kernel, loop}}, count, std::move(fields)};
}

std::vector<LayoutField> floats(std::size_t count) {
  std::vector<LayoutField> fields;
  for (std::size_t i = 0; i < count; ++i)
    fields.push_back({std::string(1, static_cast<char>('a' + i)), 4, 4});
  return fields;
}

std::vector<Fields> fieldsOf(const std::vector<LoopNode> &nodes) {
  std::vector<Fields> all;
  for (const LoopNode &each : nodes)
    all.push_back(each.fields);
  return all;
}

// Figures 14 to 18 of the paper are images that its text does not describe. The record and the
// result are given; this tree is our reconstruction: it has loops of equal Count to merge within a
// kernel (force) and, sharing the position, across kernels (density and force), and a kernel whose
// loop is executed another number of times.
TEST(PaperExample, EndsInTheTwoStructsOfFigure18) {
  enum : std::uint32_t { px, py, pz, vx, vy, vz, ax, ay, az, prs, dns };
  std::vector<LayoutField> fields;
  for (const char *name : {"px", "py", "pz", "vx", "vy", "vz", "ax", "ay", "az", "prs", "dns"})
    fields.push_back({name, 4, 4});
  const AccessTree tree{
      {{"density", {node("density", 0, 800, {px, py, pz, dns})}},
       {"force",
        {node("force", 1, 800, {px, py, pz, prs, dns}), node("force", 2, 800, {vx, vy, vz})}},
       {"integrate", {node("integrate", 3, 200, {ax, ay, az})}}}};

  const AccessTree within = mergeWithinKernels(tree);
  ASSERT_EQ(within.kernels[1].loops.size(), 1u);
  EXPECT_EQ(within.kernels[1].loops[0].fields, (Fields{px, py, pz, prs, dns, vx, vy, vz}));
  EXPECT_EQ(within.kernels[0].loops.size(), 1u);

  const std::vector<LoopNode> across = mergeAcrossKernels(within, fields);
  ASSERT_EQ(across.size(), 2u);
  EXPECT_EQ(across[0].places.size(), 3u);

  const Layout layout = clusteredAos(across, fields);
  EXPECT_EQ(describe(layout, fields), "{px py pz vx vy vz prs dns} {ax ay az}");
  ASSERT_EQ(layout.clusters.size(), 2u);
  EXPECT_EQ(layout.clusters[0].alignment, 16u);
  EXPECT_EQ(layout.clusters[1].alignment, 16u);
  EXPECT_EQ(layout.tile, 0u);
}

TEST(MergeWithinKernels, OnlyEqualCountsOfOneKernel) {
  const AccessTree tree{{{"k", {node("k", 0, 5, {0}), node("k", 1, 6, {1}), node("k", 2, 5, {2})}},
                         {"l", {node("l", 3, 5, {0})}}}};
  const AccessTree merged = mergeWithinKernels(tree);
  ASSERT_EQ(merged.kernels[0].loops.size(), 2u);
  EXPECT_EQ(merged.kernels[0].loops[0].fields, (Fields{0, 2}));
  EXPECT_EQ(merged.kernels[0].loops[0].places.size(), 2u);
  EXPECT_EQ(merged.kernels[0].loops[1].fields, Fields{1});
  EXPECT_EQ(merged.kernels[1].loops.size(), 1u);
}

TEST(MergeAcrossKernels, NeedsEqualCountAndACommonField) {
  const auto merged = [](std::uint64_t count, const Fields &fields) {
    const AccessTree tree{{{"k", {node("k", 0, 5, {0, 1})}}, {"l", {node("l", 1, count, fields)}}}};
    return mergeAcrossKernels(tree, floats(6)).size();
  };
  EXPECT_EQ(merged(5, {1, 2}), 1u);
  EXPECT_EQ(merged(6, {1, 2}), 2u);
  EXPECT_EQ(merged(5, {2, 3}), 2u);
}

TEST(MergeAcrossKernels, GoesOnOverChains) {
  const AccessTree tree{{{"k", {node("k", 0, 5, {0, 1})}},
                         {"l", {node("l", 1, 5, {2, 3})}},
                         {"m", {node("m", 2, 5, {1, 2})}}}};
  EXPECT_EQ(fieldsOf(mergeAcrossKernels(tree, floats(4))), (std::vector<Fields>{{0, 1, 2, 3}}));
}

TEST(MergeAcrossKernels, PrefersMultiplesOf16BytesAndThenLeavesThemAlone) {
  // k could merge with l to 20 bytes or with m to 16; with m it fills 16, and l stays separate.
  const AccessTree tree{{{"k", {node("k", 0, 5, {0, 1, 2})}},
                         {"l", {node("l", 1, 5, {0, 1, 4, 5})}},
                         {"m", {node("m", 2, 5, {2, 3})}}}};
  const std::vector<LoopNode> merged = mergeAcrossKernels(tree, floats(6));
  EXPECT_EQ(fieldsOf(merged), (std::vector<Fields>{{0, 1, 2, 3}, {0, 1, 4, 5}}));
}

TEST(MergeAcrossKernels, ToANewMultipleOf16BytesEvenFullNodesMerge) {
  const AccessTree tree{
      {{"k", {node("k", 0, 5, {0, 1, 2, 3})}}, {"l", {node("l", 1, 5, {3, 4, 5, 6, 7})}}}};
  EXPECT_EQ(mergeAcrossKernels(tree, floats(8)).size(), 1u);
}

TEST(MergeAcrossKernels, WithoutAMultipleInReachItMergesAllTheSame) {
  const AccessTree tree{{{"k", {node("k", 0, 5, {0, 1})}}, {"l", {node("l", 1, 5, {1, 2})}}}};
  EXPECT_EQ(fieldsOf(mergeAcrossKernels(tree, floats(3))), (std::vector<Fields>{{0, 1, 2}}));
}

TEST(ClusteredAos, AFieldOfSeveralNodesGoesToTheMostExecuted) {
  const std::vector<LayoutField> fields = floats(5);
  const Layout layout =
      clusteredAos({node("k", 0, 10, {0, 1, 2}), node("l", 1, 99, {2, 3, 4})}, fields);
  EXPECT_EQ(describe(layout, fields), "{c d e} {a b}") << "the most executed cluster is first";
}

TEST(ClusteredAos, EqualCountsAreDecidedBySizeThenFieldsThenOrder) {
  const std::vector<LayoutField> fields = floats(6);
  const auto clusters = [&](Fields first, Fields second) {
    return describe(
        clusteredAos({node("k", 0, 5, std::move(first)), node("l", 1, 5, std::move(second))},
                     fields),
        fields);
  };
  EXPECT_EQ(clusters({0, 1, 2, 3, 4}, {2, 3, 4, 5}), "{a b} {c d e f}") << "16 bytes";
  EXPECT_EQ(clusters({0, 1}, {1, 2, 3, 4, 5}), "{a} {b c d e f}") << "more fields";
  EXPECT_EQ(clusters({0, 1, 2}, {2, 3, 4}), "{a b c} {d e} {f}") << "the earlier node";
}

TEST(ClusteredAos, FieldsThatNoKernelTouchesComeLastAndUnaligned) {
  const std::vector<LayoutField> fields = floats(5);
  const Layout layout = clusteredAos({node("k", 0, 5, {1, 3, 4})}, fields);
  EXPECT_EQ(describe(layout, fields), "{b d e} {a c}");
  EXPECT_EQ(layout.clusters[0].alignment, 16u);
  EXPECT_EQ(layout.clusters[1].alignment, 0u);
}

TEST(ClusteredAos, ANodeWhoseFieldsAllWentElsewhereLeavesNoCluster) {
  const std::vector<LayoutField> fields = floats(3);
  const Layout layout = clusteredAos({node("k", 0, 1, {0, 1}), node("l", 1, 9, {0, 1, 2})}, fields);
  EXPECT_EQ(layout, alignedAos(fields, 16));
}

TEST(ClusteredAos, AlignmentIsNeverBelowAFieldsOwn) {
  const std::vector<LayoutField> fields = {{"wide", 32, 32}, {"x", 4, 4}};
  const Layout layout = clusteredAos({node("k", 0, 1, {0, 1})}, fields);
  EXPECT_EQ(layout.clusters[0].alignment, 32u);
  EXPECT_TRUE(AddressFunction::bind(layout, fields, 10).has_value());
}

} // namespace
} // namespace relayout::analysis
