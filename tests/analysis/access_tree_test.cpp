// SPDX-License-Identifier: Apache-2.0
// Tests of the field-access tree.
#include "relayout/analysis/nakai/access_tree.h"

#include "traced_program.h"

#include <gtest/gtest.h>

namespace relayout::analysis {
namespace {

using Fields = std::set<std::uint32_t>;

class Tree : public testing::Test {
protected:
  AccessTree tree(const std::vector<std::size_t> &ofGroup) const {
    return buildAccessTree(program.trace(), rows(), ofGroup, 3);
  }
  AccessTree tree() const { return tree(program.allRows(rows().size())); }
  std::vector<SiteRow> rows() const { return weighSites(program.trace(), {}); }

  TracedProgram program;
  trace::Index record = program.record("R", {"a", "b", "c"});
  trace::Index group = program.group(record, "d");
  trace::Index kernel = program.kernel("k");
};

TEST_F(Tree, HasKernelsLoopsAndFields) {
  const auto other = program.kernel("other");
  const auto loop = program.loop();
  const auto body = program.site(record, group, 2);
  const auto a = program.site(record, group, 0, loop);
  const auto b = program.site(record, group, 1, loop);
  program.execute(kernel, a, 100);
  program.execute(kernel, b, 100);
  program.execute(kernel, body, 4);
  program.execute(other, body, 7);
  const AccessTree result = tree();
  ASSERT_EQ(result.kernels.size(), 2u);
  EXPECT_EQ(result.kernels[0].kernel, "k");
  ASSERT_EQ(result.kernels[0].loops.size(), 2u);
  EXPECT_EQ(result.kernels[0].loops[0].fields, Fields{2}) << "what is outside loops comes first";
  EXPECT_EQ(result.kernels[0].loops[0].count, 4u);
  EXPECT_EQ(result.kernels[0].loops[0].places[0], (TreePlace{"k", trace::kNone}));
  EXPECT_EQ(result.kernels[0].loops[1].fields, (Fields{0, 1}));
  EXPECT_EQ(result.kernels[0].loops[1].count, 100u);
  EXPECT_EQ(result.kernels[0].loops[1].places[0], (TreePlace{"k", loop}));
  ASSERT_EQ(result.kernels[1].loops.size(), 1u);
  EXPECT_EQ(result.kernels[1].loops[0].count, 7u);
}

TEST_F(Tree, CountIsThatOfTheMostExecutedAccessNotTheSum) {
  const auto loop = program.loop();
  program.execute(kernel, program.site(record, group, 0, loop), 100);
  program.execute(kernel, program.site(record, group, 0, loop), 100);
  program.execute(kernel, program.site(record, group, 1, loop), 30); // conditional
  const AccessTree result = tree();
  ASSERT_EQ(result.kernels[0].loops.size(), 1u);
  EXPECT_EQ(result.kernels[0].loops[0].count, 100u);
}

TEST_F(Tree, CountSeesAccessesToOtherRecordsInTheLoop) {
  const auto cells = program.record("Cell", {"begin"});
  const auto loop = program.loop();
  program.execute(kernel, program.site(record, group, 0, loop), 30);
  program.execute(kernel, program.site(cells, trace::kNone, 0, loop), 100);
  const AccessTree result = tree({0});
  ASSERT_EQ(result.kernels[0].loops.size(), 1u);
  EXPECT_EQ(result.kernels[0].loops[0].count, 100u);
  EXPECT_EQ(result.kernels[0].loops[0].fields, Fields{0});
}

TEST_F(Tree, AWholeRecordCopyTouchesAllFields) {
  program.execute(kernel, program.site(record, group, trace::kNone), 5);
  EXPECT_EQ(tree().kernels[0].loops[0].fields, (Fields{0, 1, 2}));
}

TEST_F(Tree, OtherGroupsStayOut) {
  program.execute(kernel, program.site(record, group, 0), 5);
  program.execute(kernel, program.site(record, group, 1), 5);
  EXPECT_EQ(tree({1}).kernels[0].loops[0].fields, Fields{1});
  EXPECT_TRUE(tree(std::vector<std::size_t>{}).kernels.empty());
}

} // namespace
} // namespace relayout::analysis
