// SPDX-License-Identifier: Apache-2.0
// Policy replay: the layouts that are worth trying, and the ones one step from a layout.
#pragma once

#include "replay/search/element_orders.h"
#include "replay/search/partition.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// What a search draws candidates from.
struct SearchSpace {
  std::vector<LayoutField> fields;
  /// For each set of fields that some access touches together, its bits.
  std::vector<std::uint64_t> uses;
  std::vector<std::uint64_t> tiles;    ///< to try beside none
  std::vector<TriedOrder> orders = {}; ///< to try beside the elements' own
  bool isShared = false;               ///< of arrays in shared memory
  /// By field: equal numbers are of fields that all accesses treat alike; none: all differ.
  std::vector<std::uint32_t> kinds = {};
  /// Those of the uses that are most of what is executed, the most frequent first.
  std::vector<std::uint64_t> mainUses = {};
};

/// A layout with fields that are treated alike exchanged for one another: two layouts of one shape
/// take the same time.
[[nodiscard]] Layout shapeOf(Layout layout, const SearchSpace &space);

/// Layouts to start from: the record as declared, aligned, packed, reordered; SoA; AoSoA; array
/// members exploded one by one or together; the fields that are always used together as clusters;
/// of few such sets, all partitions of them; clusters that are as wide as a vector; the record and
/// SoA in each order of elements; in shared memory the record with a pad behind each element.
[[nodiscard]] std::vector<Layout> firstCandidates(const SearchSpace &space);

/// Layouts one step away: two clusters merged, a field on its own, a field moved to another
/// cluster, an array member exploded or not, the fields of one use first, a cluster otherwise
/// aligned, other tiles, padding, another order of elements. Of each shape one.
[[nodiscard]] std::vector<Layout> adjacentLayouts(const Layout &layout, const SearchSpace &space);

} // namespace relayout::analysis
