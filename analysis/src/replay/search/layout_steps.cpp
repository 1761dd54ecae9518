// SPDX-License-Identifier: Apache-2.0
// Layouts one step from another.
#include "replay/search/candidates.h"

#include "relayout/analysis/gpu/geometry.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace relayout::analysis {
namespace {

/// Bytes behind every plane that are tried: one line, so that planes do not begin alike.
constexpr std::uint64_t kPads[] = {0, kLineBytes};

Partition partitionOf(const Layout &layout) {
  Partition partition;
  for (const Cluster &cluster : layout.clusters)
    partition.push_back({cluster.fields, cluster.exploded});
  return partition;
}

class Steps {
public:
  Steps(const Layout &layout, const SearchSpace &space)
      : layout_(layout), space_(space), fields_(space.fields),
        partition_(partitionOf(layout)), shapes_{shapeOf(layout, space)} {}

  void mergeTwo() {
    for (std::size_t a = 0; a < partition_.size(); ++a)
      for (std::size_t b = a + 1; b < partition_.size(); ++b) {
        if (!canJoin(partition_[a], partition_[b]))
          continue;
        Partition merged = partition_;
        merged[a].fields.insert(merged[a].fields.end(), merged[b].fields.begin(),
                                merged[b].fields.end());
        merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(b));
        addPartition(merged);
      }
  }

  void moveOne() {
    for (std::size_t from = 0; from < partition_.size(); ++from)
      for (std::size_t i = 0; i < partition_[from].fields.size(); ++i)
        move(from, i);
  }

  void alignOrReorder() {
    for (std::size_t c = 0; c < layout_.clusters.size(); ++c) {
      const Cluster &cluster = layout_.clusters[c];
      if (cluster.fields.size() == 1)
        continue;
      for (const std::uint32_t alignment : kAlignments)
        if (alignment == 0 || alignment > naturalAlignment(cluster, fields_)) {
          Layout aligned = layout_;
          aligned.clusters[c].alignment = alignment;
          add(aligned);
        }
      for (const std::uint64_t use : space_.uses) {
        Layout reordered = layout_;
        reordered.clusters[c] = usedFirst(cluster, use, fields_);
        add(reordered);
      }
    }
  }

  void tileOrPad() {
    if (layout_.clusters.size() == 1 && !layout_.clusters[0].exploded)
      return;
    std::vector<std::uint64_t> tiles{0};
    tiles.insert(tiles.end(), space_.tiles.begin(), space_.tiles.end());
    for (const std::uint64_t tile : tiles) {
      Layout tiled = layout_;
      tiled.tile = tile;
      tiled.order = tile == 0 ? layout_.order : ElementOrder{};
      add(tiled);
    }
    for (const std::uint64_t pad : kPads) {
      Layout padded = layout_;
      padded.padBytes = pad;
      add(padded);
    }
  }

  void orderElements() {
    std::vector<ElementOrder> orders{ElementOrder{}};
    for (const TriedOrder &tried : space_.orders)
      orders.push_back(tried.order);
    for (const ElementOrder &order : orders) {
      Layout ordered = layout_;
      ordered.order = order;
      ordered.tile = order.isAsNumbered() ? layout_.tile : 0; // digits make tiles as well
      add(ordered);
    }
  }

  std::vector<Layout> take() { return std::move(next_); }

private:
  void add(Layout candidate) {
    candidate = canonical(std::move(candidate), fields_);
    Layout shape = shapeOf(candidate, space_);
    if (std::ranges::find(shapes_, shape) != shapes_.end())
      return;
    shapes_.push_back(std::move(shape));
    next_.push_back(std::move(candidate));
  }

  void addPartition(const Partition &partition) {
    Layout candidate = layoutOf(partition, fields_, layout_.tile);
    candidate.padBytes = layout_.padBytes;
    candidate.order = layout_.order;
    add(std::move(candidate));
  }

  /// Of exploded parts only those of one count go together.
  [[nodiscard]] bool canJoin(const Part &a, const Part &b) const {
    return a.exploded == b.exploded &&
           (!a.exploded || fields_[a.fields.front()].count == fields_[b.fields.front()].count);
  }

  /// A field to another part, or to one of its own; an array member exploded or not.
  void move(std::size_t from, std::size_t i) {
    Partition rest = partition_;
    const std::uint32_t field = rest[from].fields[i];
    rest[from].fields.erase(rest[from].fields.begin() + static_cast<std::ptrdiff_t>(i));
    const bool isEmptied = rest[from].fields.empty();
    if (isEmptied)
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(from));
    if (isToExplode(fields_[field])) {
      Partition other = rest;
      other.push_back({{field}, !partition_[from].exploded});
      addPartition(other);
    }
    if (isEmptied)
      return;
    const Part alone{{field}, partition_[from].exploded};
    for (std::size_t to = 0; to < rest.size(); ++to) {
      if (to == from || !canJoin(rest[to], alone))
        continue;
      Partition moved = rest;
      moved[to].fields.push_back(field);
      addPartition(moved);
    }
    rest.push_back(alone);
    addPartition(rest);
  }

  const Layout &layout_;
  const SearchSpace &space_;
  const std::vector<LayoutField> &fields_;
  Partition partition_;
  std::vector<Layout> next_;
  std::vector<Layout> shapes_; ///< of the start, and of these
};

} // namespace

Layout shapeOf(Layout layout, const SearchSpace &space) {
  if (space.kinds.empty())
    return layout;
  for (Cluster &cluster : layout.clusters)
    for (std::uint32_t &field : cluster.fields)
      field = space.kinds[field];
  std::ranges::sort(layout.clusters, {}, [](const Cluster &cluster) {
    return std::tie(cluster.fields, cluster.alignment, cluster.exploded);
  });
  return layout;
}

std::vector<Layout> adjacentLayouts(const Layout &layout, const SearchSpace &space) {
  Steps steps(layout, space);
  steps.mergeTwo();
  steps.moveOne();
  steps.alignOrReorder();
  steps.tileOrPad();
  steps.orderElements();
  return steps.take();
}

} // namespace relayout::analysis
