// SPDX-License-Identifier: Apache-2.0
// Policy nakai, third step: which fields of a record are used together, and how often.
#pragma once

#include "relayout/analysis/nakai/weights.h"
#include "relayout/trace/trace.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace relayout::analysis {

/// A place in the program: a loop, or the part of a kernel outside its loops (loop = kNone).
struct TreePlace {
  std::string kernel;
  trace::Index loop = trace::kNone; ///< into SiteTable::loops

  bool operator==(const TreePlace &) const = default;
};

/// A Loop node and its Field leaves. Merging leaves more than one place in a node.
struct LoopNode {
  std::vector<TreePlace> places;
  std::uint64_t count = 0;        ///< dynamic execution count, see loopCounts
  std::set<std::uint32_t> fields; ///< indices into the record's fields
};

struct KernelNode {
  std::string kernel;
  std::vector<LoopNode> loops;
};

/// Kernel -> Loop (Count) -> Field, of one array group.
struct AccessTree {
  std::vector<KernelNode> kernels; ///< in first-launch order, loops in program order
};

/// The tree of the accesses that rows of one group make. A whole-record copy touches all fields.
/// Count of a loop in a kernel: the largest number of warp accesses among all sites directly in
/// it, of whatever record. An access that the loop always makes runs once an iteration and
/// conditional ones less often, so this is the loop's execution count in warp iterations, without
/// the extra test that ends a `for`.
/// \param rows        all rows of the trace: counts are taken over all of them
/// \param ofGroup     positions in rows whose accesses enter the tree
/// \param fieldCount  of the record
[[nodiscard]] AccessTree buildAccessTree(const trace::Trace &trace,
                                         const std::vector<SiteRow> &rows,
                                         const std::vector<std::size_t> &ofGroup,
                                         std::uint32_t fieldCount);

} // namespace relayout::analysis
