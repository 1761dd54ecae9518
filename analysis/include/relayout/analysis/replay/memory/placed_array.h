// SPDX-License-Identifier: Apache-2.0
// Policy replay: where each array of a stream lies under a candidate layout.
#pragma once

#include "relayout/analysis/layout/layout.h"
#include "relayout/analysis/replay/stream/warp_stream.h"

#include <cstdint>
#include <set>
#include <vector>

namespace relayout::analysis {

/// Where the replay puts one array: a layout, or the source's own record, bound to its length.
struct PlacedArray {
  /// What lies side by side for every element: a cluster, or one plane of an exploded one.
  struct Part {
    std::uint64_t start = 0; ///< address of its first element
    std::uint64_t plane = 0; ///< of a tiled array: the region its granules are counted in
    std::uint32_t bytes = 0; ///< of one element
    std::uint32_t alignment = 1;
    std::uint32_t natural = 1; ///< the alignment that its fields ask for
  };
  /// Element k of an array member is k steps from element 0; a scalar is element 0.
  struct FieldPlace {
    std::uint32_t part = 0;
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0; ///< of one element, or one scalar of a nested struct
    std::uint32_t alignment = 1;
    std::uint32_t count = 1;
    bool isArray = false;
    std::uint32_t partStep = 0;
    std::uint32_t offsetStep = 0;
  };
  bool isShared = false;  ///< in shared memory, where addresses choose banks and nothing else
  ElementPlaces places;   ///< of the elements; tiles and parts hold them in this order
  std::uint64_t tile = 0; ///< 0: one tile holds the array
  std::uint64_t blockBytes = 0;
  std::uint64_t totalBytes = 0;
  std::vector<Part> parts;
  std::vector<FieldPlace> fields;
};

/// Parts in which leaves of the record lie.
/// \param mask  bit l: leaf l
[[nodiscard]] std::set<std::uint32_t> partsOf(const PlacedArray &placed, const RecordLeaves &leaves,
                                              std::uint64_t mask);

/// The layouts of all groups, bound to the arrays of a stream as these become known.
class BoundLayouts {
public:
  /// \param layouts  by group; a null pointer keeps the source's own record
  BoundLayouts(const trace::SiteTable &sites, std::vector<const Layout *> layouts)
      : sites_(&sites), layouts_(std::move(layouts)) {}

  /// Binds the arrays that have come since the last call.
  /// \error as AddressFunction::bind
  [[nodiscard]] Result<void> cover(const WarpStream &stream);

  [[nodiscard]] const std::vector<PlacedArray> &arrays() const { return arrays_; }

private:
  const trace::SiteTable *sites_;
  std::vector<const Layout *> layouts_;
  std::vector<PlacedArray> arrays_;
  std::uint64_t regions_ = 0;
};

} // namespace relayout::analysis
