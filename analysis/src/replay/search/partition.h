// SPDX-License-Identifier: Apache-2.0
// Policy replay: fields split into clusters, and the layout that follows.
#pragma once

#include "relayout/analysis/compiler_model/nvcc13.h"
#include "relayout/analysis/layout/layout.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// Of a cluster that are tried; 0: that of its fields.
inline constexpr std::uint32_t kAlignments[] = {0, nvcc13::kVectorBytes[1],
                                                nvcc13::kVectorBytes[0]};

/// Fields that form one cluster.
struct Part {
  std::vector<std::uint32_t> fields;
  bool exploded = false; ///< array members of one count, a plane for each of their elements

  bool operator==(const Part &) const = default;
};
using Partition = std::vector<Part>;

/// Whether the search takes an array member apart into a plane for each of its elements. Of long
/// ones a single record fills many pages, so that planes bring nothing together, and every plane
/// costs time and memory here.
[[nodiscard]] bool isToExplode(const LayoutField &field);

/// A canonical layout of a partition: fields in the order that takes the least room, clusters of
/// several fields aligned for vector loads where that costs no padding, clusters by first field.
[[nodiscard]] Layout layoutOf(const Partition &partition, const std::vector<LayoutField> &fields,
                              std::uint64_t tile);

/// The layout without what has no effect: an alignment that its fields have anyway, tiles and
/// padding of a single struct, unless each element has a pad.
[[nodiscard]] Layout canonical(Layout layout, const std::vector<LayoutField> &fields);

/// Whether elements lie as the record declares them, as well aligned: nothing would change.
[[nodiscard]] bool isAsDeclared(const Layout &layout, const trace::Record &record);

/// Whether the bytes of elements are those of the record: it may be aligned further.
[[nodiscard]] bool hasBytesOf(const Layout &layout, const trace::Record &record);

/// Whether the same fields stand together: the layouts differ in tiles, padding and alignment at
/// most, and in the order of fields where there are several clusters.
[[nodiscard]] bool splitsAlike(const Layout &a, const Layout &b);

/// Whether a reader would call one another layout than the other: other fields stand together, in
/// other tiles, or as one struct in another order or otherwise aligned.
[[nodiscard]] bool isAnotherLayout(const Layout &a, const Layout &b);

/// The alignment that a cluster's fields ask for.
[[nodiscard]] std::uint32_t naturalAlignment(const Cluster &cluster,
                                             const std::vector<LayoutField> &fields);

/// The cluster with the fields of a use before the others, or unchanged where that would take more
/// room.
/// \param use  bit f: field f
[[nodiscard]] Cluster usedFirst(const Cluster &cluster, std::uint64_t use,
                                const std::vector<LayoutField> &fields);

} // namespace relayout::analysis
