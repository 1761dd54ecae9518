// SPDX-License-Identifier: Apache-2.0
// Policy replay: the layouts that are worth trying, and the ones next to a layout.
#pragma once

#include "relayout/analysis/layout/layout.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// Fields that form one cluster.
struct Part {
  std::vector<std::uint32_t> fields;
  bool exploded = false; ///< array members of one count, a plane for each of their elements

  bool operator==(const Part &) const = default;
};
using Partition = std::vector<Part>;

/// What a search draws candidates from.
struct SearchSpace {
  std::vector<LayoutField> fields;
  /// For each set of fields that some access touches together, its bits.
  std::vector<std::uint64_t> uses;
  std::vector<std::uint64_t> tiles; ///< to try beside none
};

/// A canonical layout of a partition: fields in the order that takes the least room, clusters of
/// several fields aligned for vector loads where that costs no padding, clusters by first field.
[[nodiscard]] Layout layoutOf(const Partition &partition, const std::vector<LayoutField> &fields,
                              std::uint64_t tile);

/// The layout without what has no effect: an alignment that its fields have anyway, tiles and
/// padding of a single struct.
[[nodiscard]] Layout canonical(Layout layout, const std::vector<LayoutField> &fields);

/// Whether elements lie as the record declares them, as well aligned: nothing would change.
[[nodiscard]] bool isAsDeclared(const Layout &layout, const trace::Record &record);

/// Whether the same fields stand together: the layouts differ in tiles, padding and alignment at
/// most, and in the order of fields where there are several clusters.
[[nodiscard]] bool partAlike(const Layout &a, const Layout &b);

/// Whether a reader would call one another layout than the other: other fields stand together, in
/// other tiles, or as one struct in another order or otherwise aligned.
[[nodiscard]] bool isAnotherLayout(const Layout &a, const Layout &b);

/// Layouts to start from: the record as it is, aligned, packed, reordered; SoA; AoSoA; array
/// members exploded one by one or together; the fields that are always used together as clusters;
/// and, of few such sets, all partitions of them.
[[nodiscard]] std::vector<Layout> firstCandidates(const SearchSpace &space);

/// Layouts one step away: two clusters merged, a field on its own, a field moved to another
/// cluster, an array member exploded or not, the fields of one use first, a cluster otherwise
/// aligned, other tiles, padding.
[[nodiscard]] std::vector<Layout> neighbours(const Layout &layout, const SearchSpace &space);

} // namespace relayout::analysis
