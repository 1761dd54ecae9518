// SPDX-License-Identifier: Apache-2.0
// Clusters in storage order, and comparisons of layouts.
#include "replay/search/partition.h"

#include "relayout/analysis/compiler_model/nvcc13.h"

#include <algorithm>

namespace relayout::analysis {
namespace {

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

/// Planes of an array member, at most.
constexpr std::uint32_t kMostPlanes = 1 << 16;

} // namespace

bool isToExplode(const LayoutField &field) { return field.count > 1 && field.count <= kMostPlanes; }

std::uint32_t naturalAlignment(const Cluster &cluster, const std::vector<LayoutField> &fields) {
  std::uint32_t natural = 1;
  for (const std::uint32_t f : cluster.fields)
    natural = std::max(natural, fields[f].alignment);
  return natural;
}

Cluster usedFirst(const Cluster &cluster, std::uint64_t use,
                  const std::vector<LayoutField> &fields) {
  Cluster reordered = cluster;
  std::ranges::stable_partition(reordered.fields,
                                [use](std::uint32_t f) { return (use >> f & 1) != 0; });
  if (bytesOf(reordered, fields) > bytesOf(cluster, fields))
    return cluster;
  return reordered;
}

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
  const bool isPadded = layout.tile == 1 && layout.padBytes != 0;
  if (layout.clusters.size() == 1 && !layout.clusters[0].exploded && !isPadded) {
    layout.tile = 0;
    layout.padBytes = 0;
  }
  return layout;
}

bool isAsDeclared(const Layout &layout, const trace::Record &record) {
  const Result<AddressFunction> bound = AddressFunction::bind(layout, layoutFields(record), 1);
  return bound && bound->clusterAlignment(0) == record.alignment && hasBytesOf(layout, record);
}

bool hasBytesOf(const Layout &layout, const trace::Record &record) {
  const std::vector<LayoutField> fields = layoutFields(record);
  if (!keepsBytes(layout, fields, record.bytes))
    return false;
  const Result<AddressFunction> bound = AddressFunction::bind(layout, fields, 1);
  for (std::uint32_t f = 0; f < record.fields.size(); ++f)
    if (bound->offsetInCluster(f) != record.fields[f].offset)
      return false;
  return true;
}

bool splitsAlike(const Layout &a, const Layout &b) {
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
  return !splitsAlike(a, b) || a.tile != b.tile || a.order != b.order ||
         (a.clusters.size() == 1 && a.clusters[0].alignment != b.clusters[0].alignment);
}

} // namespace relayout::analysis
