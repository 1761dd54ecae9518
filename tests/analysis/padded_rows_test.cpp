// SPDX-License-Identifier: Apache-2.0
// Policy replay: rows that begin where lines do.
#include "relayout/analysis/replay/memory/placed_array.h"

#include "replay/search/search_space.h"
#include "replay_evaluation.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace relayout::analysis {
namespace {

constexpr std::uint64_t kRows = 512;

/// Threads, side by side along rows, each of which reads and writes its element; no warp leaves its
/// row.
SyntheticProgram cellByCell(std::uint64_t row, bool isWeighted = false) {
  SyntheticProgram program;
  const trace::Index cell =
      isWeighted ? program.record({{"value", 4}, {"weight", 8}}) : program.floats({"value"});
  const std::uint32_t cells = program.array(kRows * row, isWeighted ? 16 : 4);
  const trace::Index site = program.site(cell, 0);
  const std::uint64_t across = (row + 31) / 32;
  program.kernel(
      "step", kRows * across * 32, 1,
      [=](SyntheticProgram::Warp &warp) {
        const std::uint64_t first = warp.thread(0) / 32 % across * 32;
        warp.touch(site, cells, [&](unsigned lane) {
          const std::uint64_t column = std::min(first + lane, row - 1);
          return warp.thread(0) / 32 / across * row + column;
        });
      },
      256);
  program.trace().allocations[0].extents = {{"nx", row}};
  return program;
}

ElementOrder padded(std::uint64_t row) {
  return {.extents = {row}, .digits = {0, 1}, .texts = {"nx"}, .multiples = {32, 1}};
}

std::vector<TriedOrder> ordersFor(const SyntheticProgram &program) {
  const ReplaySample sample = collectSample(program.trace(), program.source(), h100(), {}).value();
  return searchSpace(program.trace(), sample, 0, recordFields(program)).orders;
}

TEST(PaddedRows, AreTriedWhereRowsEndInsideLines) {
  const std::vector<TriedOrder> orders = ordersFor(cellByCell(1002));
  EXPECT_NE(std::ranges::find(orders, padded(1002), &TriedOrder::order), orders.end());
  EXPECT_TRUE(ordersFor(cellByCell(1024)).empty());
}

/// Whichever fields have a plane of their own.
TEST(PaddedRows, OfRecordsBeginLinesInTheNarrowestPlane) {
  const std::vector<TriedOrder> orders = ordersFor(cellByCell(1002, /*isWeighted=*/true));
  EXPECT_NE(std::ranges::find(orders, padded(1002), &TriedOrder::order), orders.end());
}

TEST(PaddedRows, TakeFewerSectors) {
  const SyntheticProgram program = cellByCell(1002);
  Layout layout = aos(recordFields(program));
  layout.order = padded(1002);
  EXPECT_LT(evaluate(program, layout).volume.readSectors,
            0.9 * evaluate(program, nullptr).volume.readSectors);
}

/// Of 102 elements the pad would be a quarter.
TEST(PaddedRows, AreReplayedWithoutPadsWhereRowsAreShort) {
  for (const std::uint64_t row : {102u, 1002u}) {
    const SyntheticProgram program = cellByCell(row);
    const ReplaySample sample =
        collectSample(program.trace(), program.source(), h100(), {}).value();
    Layout layout = aos(recordFields(program));
    layout.order = padded(row);
    BoundLayouts bound(program.trace().sites, {&layout});
    ASSERT_TRUE(bound.cover(sample.stream).has_value());
    EXPECT_EQ(bound.arrays()[0].places.count(), kRows * (row == 102 ? 102 : 1024));
  }
}

} // namespace
} // namespace relayout::analysis
