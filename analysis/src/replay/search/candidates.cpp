// SPDX-License-Identifier: Apache-2.0
// Candidate layouts where the search starts.
#include "replay/search/candidates.h"

#include "relayout/analysis/gpu/geometry.h"
#include "replay/search/vector_chunks.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace relayout::analysis {
namespace {

/// Most sets of inseparable fields whose partitions are all tried: 203 partitions of 6.
constexpr std::size_t kExhaustiveParts = 6;

/// The partition with every array member taken out of its part and exploded: one by one, or those
/// of one count together.
Partition exploded(const Partition &partition, const std::vector<LayoutField> &fields,
                   bool together) {
  Partition result;
  Partition arrays;
  for (const Part &part : partition) {
    Part rest;
    for (const std::uint32_t f : part.fields) {
      if (!isToExplode(fields[f])) {
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

/// Collects layouts, each once.
class Starts {
public:
  explicit Starts(const SearchSpace &space)
      : fields_(space.fields), uses_(space.uses), layouts_{aos(space.fields)},
        hasArrays_(std::ranges::any_of(space.fields, isToExplode)) {}

  /// The record as one struct: only aligned, packed, reordered.
  void addWholes(const Partition &whole) {
    const Cluster declared = aos(fields_).clusters[0];
    std::vector<Cluster> wholes{declared, layoutOf(whole, fields_, 0).clusters[0]};
    wholes.back().alignment = 0;
    for (const std::uint64_t use : uses_)
      wholes.push_back(usedFirst(declared, use, fields_));
    const std::uint32_t natural = naturalAlignment(declared, fields_);
    for (Cluster cluster : wholes)
      for (const std::uint32_t alignment : kAlignments)
        if (alignment == 0 || (alignment > natural && fields_.size() > 1)) {
          cluster.alignment = alignment;
          add(Layout{.clusters = {cluster}});
        }
  }

  /// With its array members as they stand, exploded one by one, and together.
  void addPartition(const Partition &partition, std::uint64_t tile = 0) {
    add(layoutOf(partition, fields_, tile));
    if (hasArrays_)
      for (const bool together : {false, true})
        add(layoutOf(exploded(partition, fields_, together), fields_, tile));
  }

  /// All partitions of a partition's parts.
  void addMerged(const Partition &parts) {
    std::vector<std::size_t> choice;
    forEachPartition(parts.size(), choice, 0, [&](std::size_t count) {
      Partition merged(count);
      for (std::size_t i = 0; i < parts.size(); ++i)
        merged[choice[i]].fields.insert(merged[choice[i]].fields.end(), parts[i].fields.begin(),
                                        parts[i].fields.end());
      addPartition(merged);
    });
  }

  /// What one kernel uses as one cluster, every other field by itself.
  void addUse(std::uint64_t use) {
    Partition split(1);
    for (std::uint32_t f = 0; f < fields_.size(); ++f)
      if ((use >> f & 1) != 0)
        split[0].fields.push_back(f);
      else
        split.push_back({{f}, false});
    if (!split[0].fields.empty())
      addPartition(split);
  }

  /// Aligned for the vector also where that takes padding.
  void addChunks(const Partition &chunks, std::uint32_t bytes) {
    if (chunks.empty())
      return;
    addPartition(chunks);
    Layout padded = layoutOf(chunks, fields_, 0);
    for (Cluster &cluster : padded.clusters)
      if (cluster.fields.size() > 2 || bytes == nvcc13::kVectorBytes.back())
        cluster.alignment = std::max(cluster.alignment, bytes);
    add(std::move(padded));
  }

  /// The record with a pad behind each element, so that the distance of elements is odd: a field of
  /// successive ones lies in all banks.
  void addPadded() {
    for (const std::uint32_t alignment : kAlignments) {
      Layout padded = canonical(alignedAos(fields_, alignment), fields_);
      const Result<AddressFunction> one = AddressFunction::bind(padded, fields_, 1);
      if (!one || (alignment != 0 && one->clusterAlignment(0) != alignment))
        continue;
      const std::uint64_t unit = std::max(one->clusterAlignment(0), kDataBankBytes);
      if (one->clusterBytes(0) % (2 * unit) != 0)
        continue;
      padded.tile = 1;
      padded.padBytes = unit;
      add(std::move(padded));
    }
  }

  void addOrder(const ElementOrder &order) {
    for (Layout layout : {aos(fields_), soa(fields_)}) {
      layout.order = order;
      add(std::move(layout));
    }
  }

  std::vector<Layout> take() { return std::move(layouts_); }

private:
  void add(Layout layout) {
    layout = canonical(std::move(layout), fields_);
    if (std::ranges::find(layouts_, layout) == layouts_.end())
      layouts_.push_back(std::move(layout));
  }

  const std::vector<LayoutField> &fields_;
  const std::vector<std::uint64_t> &uses_;
  std::vector<Layout> layouts_;
  bool hasArrays_;
};

} // namespace

std::vector<Layout> firstCandidates(const SearchSpace &space) {
  Part all;
  Partition singles;
  for (std::uint32_t f = 0; f < space.fields.size(); ++f) {
    all.fields.push_back(f);
    singles.push_back({{f}, false});
  }
  Starts starts(space);
  starts.addWholes({all});
  starts.addPartition({all});
  starts.addPartition(singles);
  for (const std::uint64_t tile : space.tiles)
    starts.addPartition(singles, tile);
  // What is always used alike is never worth splitting for what is read; splitting it altogether is
  // what SoA does, and single steps follow in the search.
  const Partition parts = usedAlike(space);
  starts.addPartition(parts);
  if (parts.size() <= kExhaustiveParts)
    starts.addMerged(parts);
  for (const std::uint64_t use : space.uses)
    starts.addUse(use);
  for (const std::uint32_t bytes : nvcc13::kVectorBytes)
    for (const bool isDense : {false, true})
      starts.addChunks(vectorChunks(space, bytes, isDense), bytes);
  if (space.isShared)
    starts.addPadded();
  for (const TriedOrder &tried : space.orders)
    starts.addOrder(tried.order);
  return starts.take();
}

} // namespace relayout::analysis
