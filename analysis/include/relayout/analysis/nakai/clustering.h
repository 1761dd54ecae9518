// SPDX-License-Identifier: Apache-2.0
// Policy nakai, fourth step: from the access tree to the clusters of an AoS.
#pragma once

#include "relayout/analysis/layout/layout.h"
#include "relayout/analysis/nakai/access_tree.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// Bytes of the widest load of a GPU, and the paper's `__align__(16)`.
inline constexpr std::uint32_t kClusterAlignment = 16;

/// Step 2: within each kernel, loops of equal Count become one.
[[nodiscard]] AccessTree mergeWithinKernels(AccessTree tree);

/// Step 3: across kernels, loops of equal Count that share a field become one. Of several possible
/// merges those come first that make the total size of the fields a multiple of 16 bytes; a merge
/// that would take a node away from a multiple of 16 bytes is not made. Ties: the merge with more
/// shared fields, then the earlier nodes of the tree.
/// \returns  the nodes left, in tree order of their first place
[[nodiscard]] std::vector<LoopNode> mergeAcrossKernels(const AccessTree &tree,
                                                       const std::vector<LayoutField> &fields);

/// Step 4: a cluster for each node, aligned to 16 bytes, most executed first; fields in source
/// order. A field of several nodes goes to the one with the highest Count; among equal Counts to
/// one whose size is a multiple of 16 bytes, then to the one with more fields, then to the earlier.
/// Fields in no node form a last cluster, of natural alignment, as no kernel touches it.
[[nodiscard]] Layout clusteredAos(const std::vector<LoopNode> &nodes,
                                  const std::vector<LayoutField> &fields);

} // namespace relayout::analysis
