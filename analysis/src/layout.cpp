// SPDX-License-Identifier: Apache-2.0
// The address function of a layout, and the proof that it keeps fields apart.
#include "relayout/analysis/layout.h"

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
      return fail("RL-L01", "a cluster of the layout has no fields");
    for (const std::uint32_t field : cluster.fields) {
      if (field >= fields.size())
        return fail("RL-L01", fmt::format("the layout names field {} of a record with {}", field,
                                          fields.size()));
      if (++seen[field] > 1)
        return fail("RL-L01", fmt::format("the layout has field '{}' twice", fields[field].name));
    }
  }
  for (std::size_t field = 0; field < fields.size(); ++field)
    if (seen[field] == 0)
      return fail("RL-L01", fmt::format("the layout lacks field '{}'", fields[field].name));
  return {};
}

bool isInSourceOrder(const Cluster &cluster) { return std::ranges::is_sorted(cluster.fields); }

} // namespace

std::vector<LayoutField> layoutFields(const trace::Record &record) {
  std::vector<LayoutField> fields;
  fields.reserve(record.fields.size());
  for (const trace::Field &field : record.fields)
    fields.push_back({field.name, field.bytes, field.alignment});
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

Result<AddressFunction> AddressFunction::bind(const Layout &layout,
                                              const std::vector<LayoutField> &fields,
                                              std::uint64_t elements) {
  if (const Result<void> partition = checkPartition(layout, fields); !partition)
    return tl::unexpected(partition.error());
  if (layout.startAlignment != 0 && !std::has_single_bit(layout.startAlignment))
    return fail("RL-L02", fmt::format("a start alignment of {} bytes is no power of two",
                                      layout.startAlignment));

  AddressFunction bound;
  bound.placement_.resize(fields.size());
  CheckedBytes bytes;
  std::uint32_t startAlignment = layout.startAlignment;
  if (startAlignment == 0)
    startAlignment = layout.tile == 0 ? kPlaneAlignment : 1;

  for (std::size_t c = 0; c < layout.clusters.size(); ++c) {
    const Cluster &cluster = layout.clusters[c];
    std::uint32_t natural = 1;
    std::uint64_t end = 0;
    for (const std::uint32_t index : cluster.fields) {
      const LayoutField &field = fields[index];
      if (!std::has_single_bit(field.alignment))
        return fail("RL-L02", fmt::format("field '{}' has an alignment of {} bytes, which is no "
                                          "power of two",
                                          field.name, field.alignment));
      natural = std::max(natural, field.alignment);
      const std::uint64_t offset = roundUp(end, field.alignment);
      bound.placement_[index] = {static_cast<std::uint32_t>(c), offset};
      end = offset + field.bytes;
    }
    const std::uint32_t alignment = cluster.alignment == 0 ? natural : cluster.alignment;
    if (!std::has_single_bit(alignment))
      return fail("RL-L02",
                  fmt::format("a cluster alignment of {} bytes is no power of two", alignment));
    if (alignment < natural)
      return fail("RL-L02", fmt::format("a cluster is aligned to {} bytes, its fields need {}",
                                        alignment, natural));
    bound.clusterAlignment_.push_back(alignment);
    bound.clusterBytes_.push_back(roundUp(end, alignment));
    startAlignment = std::max(startAlignment, alignment);
  }

  bound.tile_ = std::max<std::uint64_t>(layout.tile == 0 ? elements : layout.tile, 1);
  std::uint64_t end = 0;
  for (const std::uint64_t clusterBytes : bound.clusterBytes_) {
    const std::uint64_t start = bytes.roundUpTo(end, startAlignment);
    bound.clusterStart_.push_back(start);
    end = bytes.add(start, bytes.multiply(bound.tile_, clusterBytes));
  }
  bound.blockBytes_ = bytes.roundUpTo(bytes.add(end, layout.padBytes), startAlignment);
  if (elements != 0) {
    const std::uint64_t blocks = (elements - 1) / bound.tile_ + 1;
    bound.totalBytes_ = bytes.add(bytes.multiply(blocks - 1, bound.blockBytes_), end);
  }
  if (bytes.overflowed())
    return fail("RL-L04", fmt::format("an array of {} elements in this layout takes more bytes "
                                      "than an address can tell",
                                      elements));
  return bound;
}

std::uint64_t AddressFunction::offset(std::uint64_t element, std::uint32_t field) const {
  const Placement &placement = placement_[field];
  const std::uint64_t block = element / tile_;
  const std::uint64_t lane = element % tile_;
  return block * blockBytes_ + clusterStart_[placement.cluster] +
         lane * clusterBytes_[placement.cluster] + placement.offset;
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

Result<void>
proveDisjoint(std::uint64_t elements, const std::vector<LayoutField> &fields,
              std::uint64_t totalBytes,
              const std::function<std::uint64_t(std::uint64_t, std::uint32_t)> &offsetOf) {
  struct Span {
    std::uint64_t begin = 0;
    std::uint64_t element = 0;
    std::uint32_t field = 0;
  };
  const auto name = [&fields](const Span &span) {
    return fmt::format("field '{}' of element {}", fields[span.field].name, span.element);
  };

  std::vector<Span> spans;
  spans.reserve(elements * fields.size());
  for (std::uint64_t element = 0; element < elements; ++element)
    for (std::uint32_t field = 0; field < fields.size(); ++field) {
      const Span span{offsetOf(element, field), element, field};
      const std::uint64_t bytes = fields[field].bytes;
      if (bytes > totalBytes || span.begin > totalBytes - bytes)
        return fail("RL-L03", fmt::format("{} lies at bytes {}..{}, outside the {} bytes of the "
                                          "array",
                                          name(span), span.begin, span.begin + bytes, totalBytes));
      if (bytes != 0)
        spans.push_back(span);
    }
  // Sorted by their first byte, spans that share a byte with any other share one with a neighbour.
  std::ranges::sort(spans, {}, &Span::begin);
  for (std::size_t i = 1; i < spans.size(); ++i)
    if (spans[i].begin < spans[i - 1].begin + fields[spans[i - 1].field].bytes)
      return fail("RL-L03", fmt::format("{} and {} share byte {}", name(spans[i - 1]),
                                        name(spans[i]), spans[i].begin));
  return {};
}

std::string describe(const Layout &layout, const std::vector<LayoutField> &fields) {
  const bool single = layout.clusters.size() == 1 && isInSourceOrder(layout.clusters.front()) &&
                      layout.clusters.front().fields.size() == fields.size();
  const bool onePerField = layout.clusters.size() == fields.size() &&
                           std::ranges::all_of(layout.clusters, [](const Cluster &cluster) {
                             return cluster.fields.size() == 1 && cluster.alignment == 0;
                           });

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
      for (const std::uint32_t field : cluster.fields)
        names.push_back(field < fields.size() ? fields[field].name : fmt::format("#{}", field));
      text += fmt::format("{}{{{}}}", text.empty() ? "" : " ", fmt::join(names, " "));
    }
  }
  if (!tileNamed)
    text += fmt::format(" in tiles of {}", layout.tile);
  if (layout.padBytes != 0)
    text += fmt::format(", {} B of padding a tile", layout.padBytes);
  return text;
}

} // namespace relayout::analysis
