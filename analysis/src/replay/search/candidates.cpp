// SPDX-License-Identifier: Apache-2.0
// Candidate layouts: where the search starts, and its steps.
#include "replay/search/candidates.h"

#include "relayout/analysis/compiler_model/nvcc13.h"
#include "relayout/analysis/gpu/geometry.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace relayout::analysis {
namespace {

/// Most sets of inseparable fields whose partitions are all tried: 203 partitions of 6.
constexpr std::size_t kExhaustiveParts = 6;

/// Of a record; 0: that of its fields.
constexpr std::uint32_t kAlignments[] = {0, nvcc13::kVectorBytes[1], nvcc13::kVectorBytes[0]};

/// Bytes behind every plane that are tried: one line, so that planes do not begin alike.
constexpr std::uint64_t kPads[] = {0, kLineBytes};

/// Bytes of a cluster's struct.
std::uint32_t bytesOf(const Cluster &cluster, const std::vector<LayoutField> &fields) {
  std::uint32_t end = 0;
  std::uint32_t natural = std::max(cluster.alignment, 1u);
  for (const std::uint32_t f : cluster.fields) {
    const std::uint32_t alignment = fields[f].alignment;
    natural = std::max(natural, alignment);
    end = (end + alignment - 1) / alignment * alignment +
          (cluster.exploded ? fields[f].bytes / fields[f].count : fields[f].bytes);
  }
  return (end + natural - 1) / natural * natural;
}

std::uint32_t naturalAlignment(const Cluster &cluster, const std::vector<LayoutField> &fields) {
  std::uint32_t natural = 1;
  for (const std::uint32_t f : cluster.fields)
    natural = std::max(natural, fields[f].alignment);
  return natural;
}

/// The widest alignment for vector accesses that costs no padding.
std::uint32_t freeAlignment(const Cluster &cluster, const std::vector<LayoutField> &fields) {
  const std::uint32_t bytes = bytesOf(cluster, fields);
  for (const std::uint32_t wide : nvcc13::kVectorBytes)
    if (cluster.fields.size() > 1 && wide > naturalAlignment(cluster, fields) && bytes % wide == 0)
      return wide;
  return 0;
}

/// The source's order, unless another one takes less room.
Cluster clusterOf(Part part, const std::vector<LayoutField> &fields) {
  std::ranges::sort(part.fields);
  Cluster cluster{part.fields, 0, part.exploded};
  Cluster packed = cluster;
  std::ranges::stable_sort(packed.fields, [&fields](std::uint32_t a, std::uint32_t b) {
    return fields[a].alignment > fields[b].alignment;
  });
  if (bytesOf(packed, fields) < bytesOf(cluster, fields))
    cluster = packed;
  cluster.alignment = freeAlignment(cluster, fields);
  return cluster;
}

Partition partitionOf(const Layout &layout) {
  Partition partition;
  for (const Cluster &cluster : layout.clusters)
    partition.push_back({cluster.fields, cluster.exploded});
  return partition;
}

/// The cluster with the fields of a use before the others, or as it is where that changes nothing.
Cluster usedFirst(const Cluster &cluster, std::uint64_t use,
                  const std::vector<LayoutField> &fields) {
  Cluster reordered = cluster;
  std::ranges::stable_partition(reordered.fields,
                                [use](std::uint32_t f) { return (use >> f & 1) != 0; });
  if (bytesOf(reordered, fields) > bytesOf(cluster, fields))
    return cluster;
  return reordered;
}

/// The partition with every array member taken out of its part and exploded: one by one, or those
/// of one count together.
Partition exploded(const Partition &partition, const std::vector<LayoutField> &fields,
                   bool together) {
  Partition result;
  Partition arrays;
  for (const Part &part : partition) {
    Part rest;
    for (const std::uint32_t f : part.fields) {
      if (fields[f].count < 2) {
        rest.fields.push_back(f);
        continue;
      }
      const auto same = std::ranges::find_if(arrays, [&](const Part &other) {
        return together && fields[other.fields.front()].count == fields[f].count;
      });
      if (same == arrays.end())
        arrays.push_back({{f}, true});
      else
        same->fields.push_back(f);
    }
    if (!rest.fields.empty())
      result.push_back(std::move(rest));
  }
  result.insert(result.end(), arrays.begin(), arrays.end());
  return result;
}

/// Fields that every access touches together or not at all.
Partition usedAlike(const SearchSpace &space) {
  std::map<std::vector<bool>, std::vector<std::uint32_t>> alike;
  for (std::uint32_t f = 0; f < space.fields.size(); ++f) {
    std::vector<bool> usedBy;
    for (const std::uint64_t use : space.uses)
      usedBy.push_back((use >> f & 1) != 0);
    alike[usedBy].push_back(f);
  }
  Partition parts;
  for (auto &[usedBy, fields] : alike)
    parts.push_back({std::move(fields), false});
  std::ranges::sort(parts, {}, &Part::fields);
  return parts;
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
  for (const Part &part : partition)
    layout.clusters.push_back(clusterOf(part, fields));
  std::ranges::sort(layout.clusters, {}, [](const Cluster &cluster) {
    return *std::ranges::min_element(cluster.fields);
  });
  // With one plane a tile changes nothing.
  layout.tile = layout.clusters.size() == 1 && !layout.clusters[0].exploded ? 0 : tile;
  return layout;
}

Layout canonical(Layout layout, const std::vector<LayoutField> &fields) {
  for (Cluster &cluster : layout.clusters)
    if (cluster.alignment <= naturalAlignment(cluster, fields))
      cluster.alignment = 0;
  if (layout.clusters.size() == 1 && !layout.clusters[0].exploded) {
    layout.tile = 0;
    layout.padBytes = 0;
  }
  return layout;
}

bool isAsDeclared(const Layout &layout, const trace::Record &record) {
  if (layout.clusters.size() != 1 || layout.clusters[0].exploded)
    return false;
  const Result<AddressFunction> bound = AddressFunction::bind(layout, layoutFields(record), 1);
  if (!bound || bound->clusterBytes(0) != record.bytes ||
      bound->clusterAlignment(0) != record.alignment)
    return false;
  for (std::uint32_t f = 0; f < record.fields.size(); ++f)
    if (bound->offsetInCluster(f) != record.fields[f].offset)
      return false;
  return true;
}

bool partAlike(const Layout &a, const Layout &b) {
  const bool isOneStruct = a.clusters.size() == 1;
  const auto standAlike = [isOneStruct](const Cluster &one, const Cluster &other) {
    return one.exploded == other.exploded &&
           (isOneStruct ? one.fields == other.fields
                        : one.fields.size() == other.fields.size() &&
                              std::ranges::is_permutation(one.fields, other.fields));
  };
  return std::ranges::equal(a.clusters, b.clusters, standAlike);
}

bool isAnotherLayout(const Layout &a, const Layout &b) {
  return !partAlike(a, b) || a.tile != b.tile ||
         (a.clusters.size() == 1 && a.clusters[0].alignment != b.clusters[0].alignment);
}

std::vector<Layout> firstCandidates(const SearchSpace &space) {
  const std::vector<LayoutField> &fields = space.fields;
  const bool hasArrays =
      std::ranges::any_of(fields, [](const LayoutField &field) { return field.count > 1; });
  std::vector<Layout> layouts{aos(fields)};
  const auto add = [&](Layout layout) {
    layout = canonical(std::move(layout), fields);
    if (std::ranges::find(layouts, layout) == layouts.end())
      layouts.push_back(std::move(layout));
  };
  const auto addPartition = [&](const Partition &partition, std::uint64_t tile) {
    add(layoutOf(partition, fields, tile));
    if (hasArrays)
      for (const bool together : {false, true})
        add(layoutOf(exploded(partition, fields, together), fields, tile));
  };
  Part all;
  Partition singles;
  for (std::uint32_t f = 0; f < fields.size(); ++f) {
    all.fields.push_back(f);
    singles.push_back({{f}, false});
  }
  // Only aligned, packed, reordered.
  std::vector<Cluster> wholes{aos(fields).clusters[0], clusterOf(all, fields)};
  for (const std::uint64_t use : space.uses)
    wholes.push_back(usedFirst(wholes[0], use, fields));
  const std::uint32_t natural = naturalAlignment(wholes[0], fields);
  for (Cluster whole : wholes)
    for (const std::uint32_t alignment : kAlignments)
      if (alignment == 0 || alignment > natural) {
        whole.alignment = alignment;
        add(Layout{.clusters = {whole}});
      }
  addPartition({all}, 0);
  addPartition(singles, 0);
  for (const std::uint64_t tile : space.tiles)
    addPartition(singles, tile);

  // What is always used alike is never worth parting for what is read; parting it altogether is
  // what SoA does, and single steps follow in the search.
  const Partition parts = usedAlike(space);
  addPartition(parts, 0);
  if (parts.size() <= kExhaustiveParts) {
    std::vector<std::size_t> choice;
    forEachPartition(parts.size(), choice, 0, [&](std::size_t count) {
      Partition merged(count);
      for (std::size_t i = 0; i < parts.size(); ++i)
        merged[choice[i]].fields.insert(merged[choice[i]].fields.end(), parts[i].fields.begin(),
                                        parts[i].fields.end());
      addPartition(merged, 0);
    });
  }
  // What one kernel uses as one cluster, all other fields as they come.
  for (const std::uint64_t use : space.uses) {
    Partition split(1);
    for (std::uint32_t f = 0; f < fields.size(); ++f)
      if ((use >> f & 1) != 0)
        split[0].fields.push_back(f);
      else
        split.push_back({{f}, false});
    if (!split[0].fields.empty())
      addPartition(split, 0);
  }
  return layouts;
}

std::vector<Layout> neighbours(const Layout &layout, const SearchSpace &space) {
  const std::vector<LayoutField> &fields = space.fields;
  std::vector<Layout> next;
  const auto add = [&](Layout candidate) {
    candidate = canonical(std::move(candidate), fields);
    if (candidate != layout && std::ranges::find(next, candidate) == next.end())
      next.push_back(std::move(candidate));
  };
  const auto addPartition = [&](const Partition &partition) {
    Layout candidate = layoutOf(partition, fields, layout.tile);
    candidate.padBytes = layout.padBytes;
    add(std::move(candidate));
  };
  const Partition partition = partitionOf(layout);
  // Of exploded parts only those of one count go together.
  const auto joinable = [&fields](const Part &a, const Part &b) {
    return a.exploded == b.exploded &&
           (!a.exploded || fields[a.fields.front()].count == fields[b.fields.front()].count);
  };
  for (std::size_t a = 0; a < partition.size(); ++a)
    for (std::size_t b = a + 1; b < partition.size(); ++b) {
      if (!joinable(partition[a], partition[b]))
        continue;
      Partition merged = partition;
      merged[a].fields.insert(merged[a].fields.end(), merged[b].fields.begin(),
                              merged[b].fields.end());
      merged.erase(merged.begin() + static_cast<std::ptrdiff_t>(b));
      addPartition(merged);
    }
  for (std::size_t from = 0; from < partition.size(); ++from)
    for (std::size_t i = 0; i < partition[from].fields.size(); ++i) {
      Partition rest = partition;
      const std::uint32_t field = rest[from].fields[i];
      rest[from].fields.erase(rest[from].fields.begin() + static_cast<std::ptrdiff_t>(i));
      const bool emptied = rest[from].fields.empty();
      if (emptied)
        rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(from));
      if (fields[field].count > 1) {
        Partition other = rest;
        other.push_back({{field}, !partition[from].exploded});
        addPartition(other);
      }
      if (emptied)
        continue;
      const Part alone{{field}, partition[from].exploded};
      for (std::size_t to = 0; to < rest.size(); ++to) {
        if (to == from || !joinable(rest[to], alone))
          continue;
        Partition moved = rest;
        moved[to].fields.push_back(field);
        addPartition(moved);
      }
      rest.push_back(alone);
      addPartition(rest);
    }
  for (std::size_t c = 0; c < layout.clusters.size(); ++c) {
    const Cluster &cluster = layout.clusters[c];
    if (cluster.fields.size() == 1)
      continue;
    for (const std::uint32_t alignment : kAlignments)
      if (alignment == 0 || alignment > naturalAlignment(cluster, fields)) {
        Layout aligned = layout;
        aligned.clusters[c].alignment = alignment;
        add(aligned);
      }
    for (const std::uint64_t use : space.uses) {
      Layout reordered = layout;
      reordered.clusters[c] = usedFirst(cluster, use, fields);
      add(reordered);
    }
  }
  if (layout.clusters.size() == 1 && !layout.clusters[0].exploded)
    return next;
  std::vector<std::uint64_t> tiles{0};
  tiles.insert(tiles.end(), space.tiles.begin(), space.tiles.end());
  for (const std::uint64_t tile : tiles) {
    Layout tiled = layout;
    tiled.tile = tile;
    add(tiled);
  }
  for (const std::uint64_t pad : kPads) {
    Layout padded = layout;
    padded.padBytes = pad;
    add(padded);
  }
  return next;
}

} // namespace relayout::analysis
