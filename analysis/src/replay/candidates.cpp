// SPDX-License-Identifier: Apache-2.0
// Candidate layouts: where the search starts, and its steps.
#include "candidates.h"

#include <algorithm>
#include <functional>
#include <map>

namespace relayout::analysis {
namespace {

/// Most sets of inseparable fields whose partitions are all tried: 52 partitions of 5, 203 of 6.
constexpr std::size_t kExhaustiveParts = 5;

constexpr std::uint64_t kTiles[] = {0, 32, 64};

std::uint32_t bytesOf(const Cluster &cluster, const std::vector<LayoutField> &fields) {
  std::uint32_t end = 0;
  std::uint32_t natural = std::max(cluster.alignment, 1u);
  for (const std::uint32_t f : cluster.fields) {
    const std::uint32_t alignment = fields[f].alignment;
    natural = std::max(natural, alignment);
    end = (end + alignment - 1) / alignment * alignment + fields[f].bytes;
  }
  return (end + natural - 1) / natural * natural;
}

std::uint32_t naturalAlignment(const Cluster &cluster, const std::vector<LayoutField> &fields) {
  std::uint32_t natural = 1;
  for (const std::uint32_t f : cluster.fields)
    natural = std::max(natural, fields[f].alignment);
  return natural;
}

/// The source's order, unless another one takes less room.
Cluster clusterOf(std::vector<std::uint32_t> part, const std::vector<LayoutField> &fields) {
  std::ranges::sort(part);
  Cluster cluster{part, 0};
  Cluster packed = cluster;
  std::ranges::stable_sort(packed.fields, [&fields](std::uint32_t a, std::uint32_t b) {
    return fields[a].alignment > fields[b].alignment;
  });
  if (bytesOf(packed, fields) < bytesOf(cluster, fields))
    cluster = packed;
  if (part.size() == 1)
    return cluster;
  const std::uint32_t bytes = bytesOf(cluster, fields);
  for (const std::uint32_t wide : {16u, 8u})
    if (wide > naturalAlignment(cluster, fields) && bytes % wide == 0) {
      cluster.alignment = wide;
      break;
    }
  return cluster;
}

Partition partitionOf(const Layout &layout) {
  Partition partition;
  for (const Cluster &cluster : layout.clusters)
    partition.push_back(cluster.fields);
  return partition;
}

/// All partitions of 0 … count - 1, as the part of each.
void forEachPartition(std::size_t count, std::vector<std::size_t> &part, std::size_t parts,
                      const std::function<void(std::size_t parts)> &visit) {
  if (part.size() == count)
    return visit(parts);
  for (std::size_t p = 0; p <= parts; ++p) {
    part.push_back(p);
    forEachPartition(count, part, std::max(parts, p + 1), visit);
    part.pop_back();
  }
}

} // namespace

Layout layoutOf(const Partition &partition, const std::vector<LayoutField> &fields,
                std::uint64_t tile) {
  Layout layout;
  for (const std::vector<std::uint32_t> &part : partition)
    layout.clusters.push_back(clusterOf(part, fields));
  std::ranges::sort(layout.clusters, {}, [](const Cluster &cluster) {
    return *std::ranges::min_element(cluster.fields);
  });
  // With one cluster a tile changes nothing.
  layout.tile = layout.clusters.size() == 1 ? 0 : tile;
  return layout;
}

std::vector<Layout> firstCandidates(const std::vector<LayoutField> &fields,
                                    const std::vector<std::uint64_t> &uses) {
  std::vector<Layout> layouts{aos(fields)};
  const auto add = [&layouts](Layout layout) {
    if (std::ranges::find(layouts, layout) == layouts.end())
      layouts.push_back(std::move(layout));
  };
  const std::uint32_t natural = naturalAlignment(aos(fields).clusters[0], fields);
  for (const std::uint32_t alignment : {8u, 16u})
    if (alignment > natural)
      add(alignedAos(fields, alignment));
  std::vector<std::uint32_t> all;
  Partition singles;
  for (std::uint32_t f = 0; f < fields.size(); ++f) {
    all.push_back(f);
    singles.push_back({f});
  }
  add(layoutOf({all}, fields, 0));
  for (const std::uint64_t tile : kTiles)
    add(layoutOf(singles, fields, tile));

  // Fields that every access touches together or not at all are never worth parting for what is
  // read; parting them altogether is what SoA does, and single steps follow in the search.
  std::map<std::vector<bool>, std::vector<std::uint32_t>> alike;
  for (std::uint32_t f = 0; f < fields.size(); ++f) {
    std::vector<bool> usedBy;
    for (const std::uint64_t use : uses)
      usedBy.push_back((use >> f & 1) != 0);
    alike[usedBy].push_back(f);
  }
  Partition parts;
  for (const auto &[usedBy, part] : alike)
    parts.push_back(part);
  std::ranges::sort(parts);
  add(layoutOf(parts, fields, 0));
  if (parts.size() <= kExhaustiveParts) {
    std::vector<std::size_t> choice;
    forEachPartition(parts.size(), choice, 0, [&](std::size_t count) {
      Partition merged(count);
      for (std::size_t i = 0; i < parts.size(); ++i)
        merged[choice[i]].insert(merged[choice[i]].end(), parts[i].begin(), parts[i].end());
      add(layoutOf(merged, fields, 0));
    });
  }
  // What one kernel uses as one cluster, all other fields as they come.
  for (const std::uint64_t use : uses) {
    Partition split(1);
    for (std::uint32_t f = 0; f < fields.size(); ++f)
      if ((use >> f & 1) != 0)
        split[0].push_back(f);
      else
        split.push_back({f});
    if (!split[0].empty())
      add(layoutOf(split, fields, 0));
  }
  return layouts;
}

std::vector<Layout> neighbours(const Layout &layout, const std::vector<LayoutField> &fields) {
  std::vector<Layout> next;
  const auto add = [&](Layout candidate) {
    if (candidate != layout && std::ranges::find(next, candidate) == next.end())
      next.push_back(std::move(candidate));
  };
  const Partition partition = partitionOf(layout);
  for (std::size_t a = 0; a < partition.size(); ++a)
    for (std::size_t b = a + 1; b < partition.size(); ++b) {
      Partition merged = partition;
      merged[a].insert(merged[a].end(), merged[b].begin(), merged[b].end());
      merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(b));
      add(layoutOf(merged, fields, layout.tile));
    }
  for (std::size_t from = 0; from < partition.size(); ++from) {
    if (partition[from].size() == 1)
      continue;
    for (std::size_t i = 0; i < partition[from].size(); ++i) {
      Partition rest = partition;
      const std::uint32_t field = rest[from][i];
      rest[from].erase(rest[from].begin() + static_cast<std::ptrdiff_t>(i));
      Partition alone = rest;
      alone.push_back({field});
      add(layoutOf(alone, fields, layout.tile));
      for (std::size_t to = 0; to < rest.size(); ++to) {
        if (to == from)
          continue;
        Partition moved = rest;
        moved[to].push_back(field);
        add(layoutOf(moved, fields, layout.tile));
      }
    }
  }
  for (std::size_t c = 0; c < layout.clusters.size(); ++c)
    for (const std::uint32_t alignment : {0u, 8u, 16u}) {
      const Cluster &cluster = layout.clusters[c];
      if (cluster.fields.size() == 1 ||
          (alignment != 0 && alignment <= naturalAlignment(cluster, fields)))
        continue;
      Layout aligned = layout;
      aligned.clusters[c].alignment = alignment;
      add(aligned);
    }
  for (const std::uint64_t tile : kTiles)
    if (layout.clusters.size() > 1) {
      Layout tiled = layout;
      tiled.tile = tile;
      add(tiled);
    }
  return next;
}

} // namespace relayout::analysis
