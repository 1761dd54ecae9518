// SPDX-License-Identifier: Apache-2.0
// Policy replay: the layouts that are worth trying, and the ones next to a layout.
#pragma once

#include "relayout/analysis/layout.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// A partition of the fields: each part one cluster.
using Partition = std::vector<std::vector<std::uint32_t>>;

/// A canonical layout of a partition: fields in the order that takes the least room, clusters of
/// several fields aligned for vector loads where that costs no padding, clusters by first field.
[[nodiscard]] Layout layoutOf(const Partition &partition, const std::vector<LayoutField> &fields,
                              std::uint64_t tile);

/// Layouts to start from: the record as it is, aligned, packed; SoA; AoSoA; the fields that are
/// always used together as clusters; and, of few such sets, all partitions of them.
/// \param uses  for each set of fields that some access touches together, its bits
[[nodiscard]] std::vector<Layout> firstCandidates(const std::vector<LayoutField> &fields,
                                                  const std::vector<std::uint64_t> &uses);

/// Layouts one step away: two clusters merged, a field on its own, a field moved to another
/// cluster, a cluster otherwise aligned, other tiles.
[[nodiscard]] std::vector<Layout> neighbours(const Layout &layout,
                                             const std::vector<LayoutField> &fields);

} // namespace relayout::analysis
