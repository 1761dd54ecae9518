// SPDX-License-Identifier: Apache-2.0
// Policy nakai, third step: which fields of a record are used together, and how often.
#include "relayout/analysis/nakai/access_tree.h"

#include <algorithm>
#include <map>
#include <utility>

namespace relayout::analysis {
namespace {

/// Sorts the part of a kernel outside its loops (kNone, the largest index) before its loops.
std::uint64_t programOrder(trace::Index loop) {
  return loop == trace::kNone ? 0 : std::uint64_t{loop} + 1;
}

} // namespace

AccessTree buildAccessTree(const trace::Trace &trace, const std::vector<SiteRow> &rows,
                           const std::vector<std::size_t> &ofGroup, std::uint32_t fieldCount) {
  using Key = std::pair<trace::Index, std::uint64_t>; // kernel, place in it
  std::map<Key, std::uint64_t> counts;
  for (const SiteRow &row : rows) {
    std::uint64_t &count = counts[{row.kernel, programOrder(row.loop)}];
    count = std::max(count, row.warpAccesses);
  }

  std::map<Key, LoopNode> nodes;
  for (const std::size_t position : ofGroup) {
    const SiteRow &row = rows[position];
    const Key key{row.kernel, programOrder(row.loop)};
    LoopNode &node = nodes[key];
    if (node.places.empty())
      node.places.push_back({trace.kernels[row.kernel], row.loop});
    node.count = counts[key];
    const trace::Index field = trace.sites.sites[row.site].field;
    if (field != trace::kNone) {
      node.fields.insert(field);
      continue;
    }
    for (std::uint32_t every = 0; every < fieldCount; ++every)
      node.fields.insert(every);
  }

  AccessTree tree;
  trace::Index kernel = trace::kNone;
  for (auto &[key, node] : nodes) {
    if (tree.kernels.empty() || key.first != kernel)
      tree.kernels.push_back({trace.kernels[key.first], {}});
    kernel = key.first;
    tree.kernels.back().loops.push_back(std::move(node));
  }
  return tree;
}

} // namespace relayout::analysis
