// SPDX-License-Identifier: Apache-2.0
// Policy nakai, fourth step: from the access tree to the clusters of an AoS.
#include "relayout/analysis/nakai/clustering.h"

#include <algorithm>
#include <optional>
#include <tuple>

namespace relayout::analysis {
namespace {

std::uint64_t sizeOf(const std::set<std::uint32_t> &chosen,
                     const std::vector<LayoutField> &fields) {
  std::uint64_t bytes = 0;
  for (const std::uint32_t field : chosen)
    bytes += fields[field].bytes;
  return bytes;
}

bool fillsAlignment(std::uint64_t bytes) { return bytes % kClusterAlignment == 0; }

void absorb(LoopNode &into, const LoopNode &from) {
  into.places.insert(into.places.end(), from.places.begin(), from.places.end());
  into.fields.insert(from.fields.begin(), from.fields.end());
}

struct Merge {
  std::size_t first = 0;
  std::size_t second = 0;
  bool fills = false; ///< the merged size is a multiple of 16 bytes
  std::size_t sharedFields = 0;

  /// Orders by preference; of equal ones the earlier in the tree stays.
  [[nodiscard]] bool betterThan(const Merge &other) const {
    return std::tie(fills, sharedFields) > std::tie(other.fills, other.sharedFields);
  }
};

/// The merge of two nodes, if the method makes it.
std::optional<Merge> mergeOf(const std::vector<LoopNode> &nodes, std::size_t first,
                             std::size_t second, const std::vector<LayoutField> &fields) {
  const LoopNode &a = nodes[first];
  const LoopNode &b = nodes[second];
  if (a.count != b.count)
    return std::nullopt;
  std::set<std::uint32_t> merged = a.fields;
  merged.insert(b.fields.begin(), b.fields.end());
  const std::size_t shared = a.fields.size() + b.fields.size() - merged.size();
  if (shared == 0)
    return std::nullopt;
  const bool fills = fillsAlignment(sizeOf(merged, fields));
  if (!fills &&
      (fillsAlignment(sizeOf(a.fields, fields)) || fillsAlignment(sizeOf(b.fields, fields))))
    return std::nullopt;
  return Merge{first, second, fills, shared};
}

} // namespace

AccessTree mergeWithinKernels(AccessTree tree) {
  for (KernelNode &kernel : tree.kernels) {
    std::vector<LoopNode> merged;
    for (const LoopNode &loop : kernel.loops) {
      const auto same = std::ranges::find(merged, loop.count, &LoopNode::count);
      if (same == merged.end())
        merged.push_back(loop);
      else
        absorb(*same, loop);
    }
    kernel.loops = std::move(merged);
  }
  return tree;
}

std::vector<LoopNode> mergeAcrossKernels(const AccessTree &tree,
                                         const std::vector<LayoutField> &fields) {
  std::vector<LoopNode> nodes;
  for (const KernelNode &kernel : tree.kernels)
    nodes.insert(nodes.end(), kernel.loops.begin(), kernel.loops.end());

  // One merge at a time, the best one first: each changes the sizes that the next ones see.
  while (true) {
    std::optional<Merge> best;
    for (std::size_t first = 0; first < nodes.size(); ++first)
      for (std::size_t second = first + 1; second < nodes.size(); ++second) {
        const std::optional<Merge> merge = mergeOf(nodes, first, second, fields);
        if (merge && (!best || merge->betterThan(*best)))
          best = merge;
      }
    if (!best)
      return nodes;
    absorb(nodes[best->first], nodes[best->second]);
    nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(best->second));
  }
}

Layout clusteredAos(const std::vector<LoopNode> &nodes, const std::vector<LayoutField> &fields) {
  const auto rank = [&](std::size_t node) {
    return std::tuple(nodes[node].count, fillsAlignment(sizeOf(nodes[node].fields, fields)),
                      nodes[node].fields.size());
  };
  std::vector<std::vector<std::uint32_t>> owned(nodes.size());
  Cluster cold;
  for (std::uint32_t field = 0; field < fields.size(); ++field) {
    std::optional<std::size_t> owner;
    for (std::size_t node = 0; node < nodes.size(); ++node)
      if (nodes[node].fields.contains(field) && (!owner || rank(node) > rank(*owner)))
        owner = node;
    if (owner)
      owned[*owner].push_back(field);
    else
      cold.fields.push_back(field);
  }

  std::vector<std::size_t> order;
  for (std::size_t node = 0; node < nodes.size(); ++node)
    if (!owned[node].empty())
      order.push_back(node);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t node) { return nodes[node].count; });

  Layout layout;
  for (const std::size_t node : order) {
    std::uint32_t alignment = kClusterAlignment;
    for (const std::uint32_t field : owned[node])
      alignment = std::max(alignment, fields[field].alignment);
    layout.clusters.push_back({std::move(owned[node]), alignment});
  }
  if (!cold.fields.empty())
    layout.clusters.push_back(std::move(cold));
  return layout;
}

} // namespace relayout::analysis
