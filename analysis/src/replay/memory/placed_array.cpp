// SPDX-License-Identifier: Apache-2.0
// Binds layouts to the arrays of a stream: where each part of each array lies in the replay.
#include "relayout/analysis/replay/memory/placed_array.h"

#include "relayout/analysis/gpu/geometry.h"

#include "replay/memory/granule_set.h"

#include <algorithm>
#include <bit>

namespace relayout::analysis {
namespace {

PlacedArray::FieldPlace placeOf(const LayoutField &field, std::uint32_t part,
                                std::uint64_t offset) {
  PlacedArray::FieldPlace place;
  place.part = part;
  place.offset = static_cast<std::uint32_t>(offset);
  place.isArray = field.count > 1;
  place.count = place.isArray ? field.count : field.parts;
  place.bytes = field.bytes / place.count;
  place.alignment = field.alignment;
  place.offsetStep = place.bytes;
  return place;
}

/// Rows of a traced run can be so short that their pads are a part of memory which they are not at
/// the real size: those are left out.
constexpr std::uint64_t kLeastMultiples = 16;

/// \param elements  of the array
Layout asReplayed(Layout layout, std::uint64_t elements) {
  ElementOrder &order = layout.order;
  for (std::size_t digit = 0; digit < order.multiples.size(); ++digit) {
    const bool isHighest = digit == order.extents.size();
    const std::uint64_t extent = isHighest ? elements : order.extents[digit];
    if ((isHighest || order.isNamed(digit)) && extent / order.multiples[digit] < kLeastMultiples)
      order.multiples[digit] = 1;
    elements /= isHighest ? 1 : extent;
  }
  return layout;
}

/// Address ranges of their own, one behind the other.
class Regions {
public:
  explicit Regions(std::uint64_t &taken) : taken_(taken) {}
  std::uint64_t next() { return ++taken_ << kArrayShift; }

private:
  std::uint64_t &taken_;
};

PlacedArray placedWords(const ReplayArray &array, std::uint64_t start) {
  PlacedArray placed;
  placed.parts = {{start, 0, kFixedWordBytes, kWidestAccessBytes, kFixedWordBytes}};
  placed.totalBytes = array.elements * kFixedWordBytes;
  return placed;
}

PlacedArray placedAsDeclared(const ReplayArray &array, const trace::Record &record,
                             std::uint64_t start) {
  PlacedArray placed;
  placed.parts = {{start, 0, record.bytes, record.alignment, record.alignment}};
  const std::vector<LayoutField> fields = layoutFields(record);
  for (std::uint32_t f = 0; f < fields.size(); ++f)
    placed.fields.push_back(placeOf(fields[f], 0, record.fields[f].offset));
  placed.totalBytes = array.elements * record.bytes;
  return placed;
}

PlacedArray placedBy(const Layout &layout, const std::vector<LayoutField> &fields,
                     const AddressFunction &bound, Regions &regions) {
  PlacedArray placed;
  placed.places = bound.places();
  placed.tile = layout.tile;
  placed.blockBytes = bound.blockBytes();
  placed.totalBytes = bound.totalBytes();
  const std::uint64_t tiles = placed.tile != 0 ? regions.next() : 0;
  std::vector<std::uint32_t> firstPart;
  // Planes start at multiples of kPlaneAlignment, so a region of its own changes no sector.
  for (std::uint32_t c = 0; c < layout.clusters.size(); ++c) {
    const Cluster &cluster = layout.clusters[c];
    const std::uint32_t planes = cluster.exploded ? fields[cluster.fields.front()].count : 1;
    std::uint32_t natural = 1;
    for (const std::uint32_t f : cluster.fields)
      natural = std::max(natural, fields[f].alignment);
    firstPart.push_back(static_cast<std::uint32_t>(placed.parts.size()));
    for (std::uint32_t k = 0; k < planes; ++k) {
      const std::uint64_t plane = regions.next();
      const std::uint64_t inTile = bound.clusterStart(c) + k * bound.planeBytes(c);
      placed.parts.push_back({placed.tile != 0 ? tiles + inTile : plane, plane,
                              static_cast<std::uint32_t>(bound.clusterBytes(c)),
                              bound.clusterAlignment(c), natural});
    }
  }
  for (std::uint32_t f = 0; f < fields.size(); ++f) {
    const std::uint32_t cluster = bound.clusterOf(f);
    PlacedArray::FieldPlace place =
        placeOf(fields[f], firstPart[cluster], bound.offsetInCluster(f));
    if (layout.clusters[cluster].exploded) {
      place.partStep = 1;
      place.offsetStep = 0;
    }
    placed.fields.push_back(place);
  }
  return placed;
}

} // namespace

std::set<std::uint32_t> partsOf(const PlacedArray &placed, const RecordLeaves &leaves,
                                std::uint64_t mask) {
  std::set<std::uint32_t> parts;
  for (std::uint64_t left = mask; left != 0; left &= left - 1) {
    const Leaf &leaf = leaves.leaves[static_cast<std::size_t>(std::countr_zero(left))];
    const PlacedArray::FieldPlace &place = placed.fields[leaf.field];
    for (std::uint32_t k = 0; k < leaf.elements; ++k)
      parts.insert(place.part + place.partStep * (leaf.element + k));
  }
  return parts;
}

Result<void> BoundLayouts::cover(const WarpStream &stream) {
  Regions regions(regions_);
  while (arrays_.size() < stream.arrays.size()) {
    const ReplayArray &array = stream.arrays[arrays_.size()];
    const std::uint64_t phase = array.address % kTagPeriodBytes;
    if (array.group == trace::kNone) {
      arrays_.push_back(placedWords(array, regions.next() + phase));
      continue;
    }
    const trace::Record &record = sites_->records[sites_->groups[array.group].record];
    const Layout *const layout = layouts_[array.group];
    if (layout == nullptr) {
      arrays_.push_back(placedAsDeclared(array, record, regions.next() + phase));
      arrays_.back().isShared = trace::isInSharedMemory(*sites_, array.group);
      continue;
    }
    const std::vector<LayoutField> fields = layoutFields(record);
    const Result<AddressFunction> bound =
        AddressFunction::bind(asReplayed(*layout, array.elements), fields, array.elements);
    if (!bound)
      return tl::unexpected(bound.error());
    arrays_.push_back(placedBy(*layout, fields, *bound, regions));
    arrays_.back().isShared = trace::isInSharedMemory(*sites_, array.group);
  }
  return {};
}

} // namespace relayout::analysis
