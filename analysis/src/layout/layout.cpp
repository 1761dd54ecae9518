// SPDX-License-Identifier: Apache-2.0
// The address function of a layout, and the proof that it keeps fields apart.
#include "relayout/analysis/layout/layout.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <numeric>

namespace relayout::analysis {
namespace {

constexpr std::uint64_t roundUp(std::uint64_t value, std::uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Sums and products of array sizes; remembers an overflow instead of wrapping in silence.
class CheckedBytes {
public:
  std::uint64_t add(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    overflowed_ |= __builtin_add_overflow(a, b, &sum);
    return sum;
  }
  std::uint64_t multiply(std::uint64_t a, std::uint64_t b) {
    std::uint64_t product = 0;
    overflowed_ |= __builtin_mul_overflow(a, b, &product);
    return product;
  }
  std::uint64_t roundUpTo(std::uint64_t value, std::uint64_t alignment) {
    return add(value, alignment - 1) / alignment * alignment;
  }
  [[nodiscard]] bool overflowed() const { return overflowed_; }

private:
  bool overflowed_ = false;
};

std::vector<std::uint32_t> allFields(const std::vector<LayoutField> &fields) {
  std::vector<std::uint32_t> indices(fields.size());
  std::iota(indices.begin(), indices.end(), 0u);
  return indices;
}

/// Every field stands in exactly one cluster.
Result<void> checkPartition(const Layout &layout, const std::vector<LayoutField> &fields) {
  std::vector<int> seen(fields.size(), 0);
  for (const Cluster &cluster : layout.clusters) {
    if (cluster.fields.empty())
      return fail(Code::FieldsNotPartitioned, "a cluster of the layout has no fields");
    for (const std::uint32_t field : cluster.fields) {
      if (field >= fields.size())
        return fail(
            Code::FieldsNotPartitioned,
            fmt::format("the layout names field {} of a record with {}", field, fields.size()));
      if (++seen[field] > 1)
        return fail(Code::FieldsNotPartitioned,
                    fmt::format("the layout has field '{}' twice", fields[field].name));
    }
  }
  for (std::size_t field = 0; field < fields.size(); ++field)
    if (seen[field] == 0)
      return fail(Code::FieldsNotPartitioned,
                  fmt::format("the layout lacks field '{}'", fields[field].name));
  return {};
}

/// An exploded cluster has array members of one count and nothing else.
Result<void> checkExploded(const Layout &layout, const std::vector<LayoutField> &fields) {
  for (const Cluster &cluster : layout.clusters) {
    if (!cluster.exploded)
      continue;
    const LayoutField &first = fields[cluster.fields.front()];
    for (const std::uint32_t index : cluster.fields) {
      const LayoutField &field = fields[index];
      if (field.count < 2 || field.bytes % field.count != 0)
        return fail(Code::CannotExplode,
                    fmt::format("field '{}' is no array and cannot be exploded", field.name));
      if (field.count != first.count)
        return fail(
            Code::CannotExplode,
            fmt::format("'{}' has {} elements and '{}' has {}: they cannot be exploded together",
                        first.name, first.count, field.name, field.count));
    }
  }
  return {};
}

/// A cluster as the struct of one element.
struct ClusterStruct {
  struct Member {
    std::uint64_t offset = 0;
    std::uint64_t elementBytes = 0; ///< of an array member; of another field all
  };
  std::uint64_t bytes = 0;
  std::uint32_t alignment = 1;
  std::vector<Member> members; ///< in the cluster's order
};

Result<ClusterStruct> structOf(const Cluster &cluster, const std::vector<LayoutField> &fields) {
  ClusterStruct made;
  std::uint64_t end = 0;
  for (const std::uint32_t index : cluster.fields) {
    const LayoutField &field = fields[index];
    if (!std::has_single_bit(field.alignment))
      return fail(
          Code::InvalidAlignment,
          fmt::format("field '{}' has an alignment of {} bytes, which is not a power of two",
                      field.name, field.alignment));
    made.alignment = std::max(made.alignment, field.alignment);
    const std::uint64_t offset = roundUp(end, field.alignment);
    const std::uint64_t elementBytes = field.bytes / std::max(field.count, 1u);
    made.members.push_back({offset, elementBytes});
    end = offset + (cluster.exploded ? elementBytes : field.bytes);
  }
  if (cluster.alignment != 0) {
    if (!std::has_single_bit(cluster.alignment))
      return fail(
          Code::InvalidAlignment,
          fmt::format("a cluster alignment of {} bytes is not a power of two", cluster.alignment));
    if (cluster.alignment < made.alignment)
      return fail(Code::InvalidAlignment,
                  fmt::format("a cluster is aligned to {} bytes, its fields need {}",
                              cluster.alignment, made.alignment));
    made.alignment = cluster.alignment;
  }
  made.bytes = roundUp(end, made.alignment);
  return made;
}

Result<void> check(const Layout &layout, const std::vector<LayoutField> &fields) {
  if (Result<void> partition = checkPartition(layout, fields); !partition)
    return partition;
  if (Result<void> exploded = checkExploded(layout, fields); !exploded)
    return exploded;
  if (layout.startAlignment != 0 && !std::has_single_bit(layout.startAlignment))
    return fail(
        Code::InvalidAlignment,
        fmt::format("a start alignment of {} bytes is not a power of two", layout.startAlignment));
  return {};
}

bool isInSourceOrder(const Cluster &cluster) { return std::ranges::is_sorted(cluster.fields); }

} // namespace

std::vector<LayoutField> layoutFields(const trace::Record &record) {
  std::vector<LayoutField> fields;
  fields.reserve(record.fields.size());
  for (const trace::Field &field : record.fields)
    fields.push_back({field.name, field.bytes, field.alignment, field.count, field.parts});
  return fields;
}

Layout aos(const std::vector<LayoutField> &fields) { return alignedAos(fields, 0); }

Layout alignedAos(const std::vector<LayoutField> &fields, std::uint32_t alignment) {
  return Layout{.clusters = {{allFields(fields), alignment}}};
}

Layout soa(const std::vector<LayoutField> &fields) { return aosoa(fields, 0); }

Layout aosoa(const std::vector<LayoutField> &fields, std::uint64_t tile) {
  Layout layout;
  for (const std::uint32_t field : allFields(fields))
    layout.clusters.push_back({{field}, 0});
  layout.tile = tile;
  return layout;
}

Layout explodedSoa(const std::vector<LayoutField> &fields) {
  Layout layout = soa(fields);
  for (Cluster &cluster : layout.clusters)
    cluster.exploded = fields[cluster.fields.front()].count > 1;
  return layout;
}

std::optional<Layout> withinRecords(Layout layout, const std::vector<LayoutField> &fields,
                                    std::uint64_t recordBytes) {
  layout.startAlignment = 1; // no more than the clusters need
  layout.padBytes = 0;
  const Result<AddressFunction> one = AddressFunction::bind(layout, fields, 1);
  // Planes of one element round up at least as far as those of more, element by element.
  return one && layout.tile == 0 && layout.order.isAsNumbered() && one->totalBytes() <= recordBytes
             ? std::optional(layout)
             : std::nullopt;
}

Result<AddressFunction> AddressFunction::bind(const Layout &layout,
                                              const std::vector<LayoutField> &fields,
                                              std::uint64_t elements) {
  if (const Result<void> checked = check(layout, fields); !checked)
    return tl::unexpected(checked.error());
  const Result<ElementPlaces> places = ElementPlaces::bind(layout.order, elements);
  if (!places)
    return tl::unexpected(places.error());
  elements = places->count();
  AddressFunction bound;
  bound.places_ = *places;
  bound.placement_.resize(fields.size());
  CheckedBytes bytes;
  std::uint32_t startAlignment = layout.startAlignment;
  if (startAlignment == 0)
    startAlignment = layout.tile == 0 ? kPlaneAlignment : 1;

  for (std::size_t c = 0; c < layout.clusters.size(); ++c) {
    const Cluster &cluster = layout.clusters[c];
    const Result<ClusterStruct> made = structOf(cluster, fields);
    if (!made)
      return tl::unexpected(made.error());
    for (std::size_t i = 0; i < cluster.fields.size(); ++i)
      bound.placement_[cluster.fields[i]] = {static_cast<std::uint32_t>(c), made->members[i].offset,
                                             made->members[i].elementBytes};
    bound.clusterAlignment_.push_back(made->alignment);
    bound.clusterBytes_.push_back(made->bytes);
    startAlignment = std::max(startAlignment, made->alignment);
  }

  bound.tile_ = std::max<std::uint64_t>(layout.tile == 0 ? elements : layout.tile, 1);
  std::uint64_t end = 0; // of the last plane, its padding left out
  std::uint64_t next = 0;
  for (std::size_t c = 0; c < layout.clusters.size(); ++c) {
    const Cluster &cluster = layout.clusters[c];
    const std::uint64_t tileBytes = bytes.multiply(bound.tile_, bound.clusterBytes_[c]);
    const std::uint64_t plane =
        bytes.roundUpTo(bytes.add(tileBytes, layout.padBytes), startAlignment);
    const std::uint64_t lanes = cluster.exploded ? fields[cluster.fields.front()].count : 1;
    bound.clusterStart_.push_back(next);
    bound.planeBytes_.push_back(plane);
    end = bytes.add(bytes.add(next, bytes.multiply(lanes - 1, plane)), tileBytes);
    next = bytes.add(next, bytes.multiply(lanes, plane));
    if (cluster.exploded)
      for (const std::uint32_t index : cluster.fields)
        bound.placement_[index].laneBytes = plane;
  }
  bound.blockBytes_ = next;
  if (elements != 0) {
    const std::uint64_t blocks = (elements - 1) / bound.tile_ + 1;
    bound.totalBytes_ = bytes.add(bytes.multiply(blocks - 1, bound.blockBytes_), end);
  }
  if (bytes.overflowed())
    return fail(Code::ArrayTooLarge,
                fmt::format("an array of {} elements in this layout takes more bytes "
                            "than an address can tell",
                            elements));
  return bound;
}

std::uint64_t AddressFunction::offset(std::uint64_t element, std::uint32_t field,
                                      std::uint32_t arrayElement) const {
  const Placement &placement = placement_[field];
  const std::uint64_t place = places_.of(element);
  const std::uint64_t block = place / tile_;
  const std::uint64_t lane = place % tile_;
  return block * blockBytes_ + clusterStart_[placement.cluster] +
         lane * clusterBytes_[placement.cluster] + placement.offset +
         arrayElement * placement.laneBytes;
}

std::uint64_t AddressFunction::planeBytes(std::uint32_t cluster) const {
  return planeBytes_[cluster];
}

std::uint64_t AddressFunction::clusterBytes(std::uint32_t cluster) const {
  return clusterBytes_[cluster];
}

std::uint64_t AddressFunction::clusterStart(std::uint32_t cluster) const {
  return clusterStart_[cluster];
}

std::uint32_t AddressFunction::clusterAlignment(std::uint32_t cluster) const {
  return clusterAlignment_[cluster];
}

std::uint32_t AddressFunction::clusterOf(std::uint32_t field) const {
  return placement_[field].cluster;
}

std::uint64_t AddressFunction::offsetInCluster(std::uint32_t field) const {
  return placement_[field].offset;
}

Result<void> proveDisjoint(
    std::uint64_t elements, const std::vector<LayoutField> &fields, std::uint64_t totalBytes,
    const std::function<std::uint64_t(std::uint64_t, std::uint32_t, std::uint32_t)> &offsetOf) {
  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t element = 0;
    std::uint32_t field = 0;
    std::uint32_t lane = 0;
  };
  const auto name = [&fields](const Span &span) {
    const LayoutField &field = fields[span.field];
    return fmt::format("field '{}{}' of element {}", field.name,
                       field.count > 1 ? fmt::format("[{}]", span.lane) : "", span.element);
  };
  const auto bytesOf = [&fields](std::uint32_t field) {
    return fields[field].bytes / std::max(fields[field].count, 1u);
  };

  std::vector<Span> spans;
  spans.reserve(elements * fields.size());
  for (std::uint64_t element = 0; element < elements; ++element)
    for (std::uint32_t field = 0; field < fields.size(); ++field)
      for (std::uint32_t lane = 0; lane < std::max(fields[field].count, 1u); ++lane) {
        const Span span{offsetOf(element, field, lane), element, field, lane};
        const std::uint64_t bytes = bytesOf(field);
        if (bytes > totalBytes || span.begin > totalBytes - bytes)
          return fail(Code::FieldsOverlap,
                      fmt::format("{} lies at bytes {}..{}, outside the {} bytes of the array",
                                  name(span), span.begin, span.begin + bytes, totalBytes));
        if (bytes != 0)
          spans.push_back(span);
      }
  // Sorted by their first byte, spans that share a byte with any other share one with a neighbour.
  std::ranges::sort(spans, {}, &Span::begin);
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (spans[i].begin < spans[i - 1].begin + bytesOf(spans[i - 1].field))
      return fail(Code::FieldsOverlap, fmt::format("{} and {} share byte {}", name(spans[i - 1]),
                                                   name(spans[i]), spans[i].begin));
  return {};
}

std::string describe(const Layout &layout, const std::vector<LayoutField> &fields) {
  const bool single = layout.clusters.size() == 1 && isInSourceOrder(layout.clusters.front()) &&
                      layout.clusters.front().fields.size() == fields.size() &&
                      !layout.clusters.front().exploded;
  const bool onePerField =
      layout.clusters.size() == fields.size() &&
      std::ranges::all_of(layout.clusters, [](const Cluster &cluster) {
        return cluster.fields.size() == 1 && cluster.alignment == 0 && !cluster.exploded;
      });

  // A plain array is no array of structs.
  if (single && fields.size() == 1 && layout.clusters.front().alignment == 0 && layout.tile == 0 &&
      layout.padBytes == 0 && !layout.order.isAsNumbered())
    return describe(layout.order);
  std::string text;
  bool tileNamed = layout.tile == 0;
  if (single) {
    const std::uint32_t alignment = layout.clusters.front().alignment;
    text = alignment == 0 ? "AoS" : fmt::format("aligned AoS ({})", alignment);
  } else if (onePerField) {
    text = layout.tile == 0 ? "SoA" : fmt::format("AoSoA-{}", layout.tile);
    tileNamed = true;
  } else {
    for (const Cluster &cluster : layout.clusters) {
      std::vector<std::string> names;
      names.reserve(cluster.fields.size());
      for (const std::uint32_t field : cluster.fields)
        names.push_back((field < fields.size() ? fields[field].name : fmt::format("#{}", field)) +
                        (cluster.exploded ? "[]" : ""));
      text += fmt::format("{}{{{}}}", text.empty() ? "" : " ", fmt::join(names, " "));
    }
  }
  const bool isPaddedStruct = single && layout.tile == 1 && layout.padBytes != 0;
  if (isPaddedStruct)
    text += fmt::format(", {} B of padding an element", layout.padBytes);
  else if (!tileNamed)
    text += fmt::format(" in tiles of {}", layout.tile);
  if (layout.padBytes != 0 && !isPaddedStruct)
    text += fmt::format(", {} B of padding a plane", layout.padBytes);
  if (!layout.order.isAsNumbered())
    text += ", " + describe(layout.order);
  return text;
}

bool keepsBytes(const Layout &layout, const std::vector<LayoutField> &fields,
                std::uint64_t recordBytes) {
  if (layout.clusters.size() != 1 || layout.clusters.front().exploded ||
      !layout.order.isAsNumbered() ||
      (layout.tile != 0 && (layout.padBytes != 0 || layout.startAlignment != 0)))
    return false;
  const Result<AddressFunction> bound = AddressFunction::bind(layout, fields, 1);
  return bound && bound->clusterBytes(0) == recordBytes &&
         std::ranges::is_sorted(layout.clusters.front().fields);
}

} // namespace relayout::analysis
