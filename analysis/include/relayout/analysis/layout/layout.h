// SPDX-License-Identifier: Apache-2.0
// The one idea all stages share: a layout is an address function of (element, field).
#pragma once

#include "relayout/analysis/layout/element_order.h"
#include "relayout/base/result.h"
#include "relayout/trace/site_table.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace relayout::analysis {

/// A leaf of a record as a layout sees it. Source order.
struct LayoutField {
  std::string name;
  std::uint32_t bytes = 0; ///< all array elements together
  std::uint32_t alignment = 1;
  std::uint32_t count = 1; ///< array elements, 1 for a scalar
  std::uint32_t parts = 1; ///< scalars of a nested struct, see trace::Field; layouts keep it whole
};

/// Fields stored side by side as one struct.
struct Cluster {
  std::vector<std::uint32_t> fields; ///< indices into the record's fields, in storage order
  std::uint32_t alignment = 0;       ///< bytes; 0: the natural alignment of its fields
  /// All fields are array members of the same count, and the cluster is stored once for each of
  /// their elements: one plane a lane, as in a transposed ELL matrix.
  bool exploded = false;

  bool operator==(const Cluster &) const = default;
};

/// Byte boundary at which clusters of a whole-array layout start. cudaMalloc aligns to it, so every
/// plane of an SoA is as well aligned as an array of its own: a plane that starts inside a sector
/// would cost each warp one sector more.
inline constexpr std::uint32_t kPlaneAlignment = 256;

/// How the elements of an array of records lie in device memory; docs/layout.md has examples:
/// \code
///   address(i, f[k] in c) = base + b * blockBytes + start_c + l * size_c + offset_c(f) + k * w_f
///   address(i, f[k] in c) = base + b * blockBytes + start_c + k * plane_c + l * size_c +
///   offset_c(f) b = i / T, l = i mod T, w_f: bytes of an element of f; the second line for
///   exploded clusters; i: the place of the element in the order of elements
/// \endcode
/// Every start_c, plane_c and blockBytes are multiples of A, the larger of the start alignment and
/// of the largest cluster alignment. plane_c holds T elements and the padding.
/// Values of this type are AoS, aligned AoS, SoA, AoSoA-T, hot/cold splits, padded planes,
/// transposed ELL, and each of them with its elements in another order: transposed grids, bricks.
struct Layout {
  std::vector<Cluster> clusters;
  std::uint64_t tile = 0;     ///< T in elements; 0: T = N, one tile holds the whole array
  std::uint64_t padBytes = 0; ///< added behind every plane of every tile but the array's last
  /// Bytes, a power of two; 0: kPlaneAlignment when tile is 0, else no more than the clusters need.
  std::uint32_t startAlignment = 0;
  ElementOrder order = {}; ///< of the elements, before they are laid in tiles

  bool operator==(const Layout &) const = default;
};

/// The fields of a record, as layouts number them.
[[nodiscard]] std::vector<LayoutField> layoutFields(const trace::Record &record);

[[nodiscard]] Layout aos(const std::vector<LayoutField> &fields);
[[nodiscard]] Layout alignedAos(const std::vector<LayoutField> &fields, std::uint32_t alignment);
[[nodiscard]] Layout soa(const std::vector<LayoutField> &fields);
[[nodiscard]] Layout aosoa(const std::vector<LayoutField> &fields, std::uint64_t tile);
/// SoA in which every array member is exploded.
[[nodiscard]] Layout explodedSoa(const std::vector<LayoutField> &fields);

/// Whether elements have the bytes of a record of these fields, of so many bytes: one struct, in
/// order, of its size. It may be aligned further.
[[nodiscard]] bool keepsBytes(const Layout &layout, const std::vector<LayoutField> &fields,
                              std::uint64_t recordBytes);

/// The layout with planes as close to each other as their fields allow, for memory that has as many
/// bytes as the records.
/// \returns  nothing where an array of some length would take more
[[nodiscard]] std::optional<Layout>
withinRecords(Layout layout, const std::vector<LayoutField> &fields, std::uint64_t recordBytes);

/// A layout bound to a record and an array length: the address function itself.
class AddressFunction {
public:
  /// \error RL-L01 a field is missing, repeated or unknown, or a cluster is empty; RL-L02 an
  ///        alignment is no power of two or below a field's own; RL-L04 the array takes more bytes
  ///        than an address can tell
  [[nodiscard]] static Result<AddressFunction>
  bind(const Layout &layout, const std::vector<LayoutField> &fields, std::uint64_t elements);

  /// Byte offset from the array's base of a field of an element.
  /// \param lane  element of an array member, below LayoutField::count
  [[nodiscard]] std::uint64_t offset(std::uint64_t element, std::uint32_t field,
                                     std::uint32_t lane = 0) const;

  /// Bytes the whole array occupies: up to the end of the last tile, which is never cut short.
  [[nodiscard]] std::uint64_t totalBytes() const { return totalBytes_; }
  /// Bytes from one tile to the next.
  [[nodiscard]] std::uint64_t blockBytes() const { return blockBytes_; }
  /// Offset of a cluster's first element inside a tile.
  [[nodiscard]] std::uint64_t clusterStart(std::uint32_t cluster) const;
  /// Bytes from one plane of an exploded cluster to the next.
  [[nodiscard]] std::uint64_t planeBytes(std::uint32_t cluster) const;
  /// Bytes of one element of a cluster, padding included.
  [[nodiscard]] std::uint64_t clusterBytes(std::uint32_t cluster) const;
  [[nodiscard]] std::uint32_t clusterOf(std::uint32_t field) const;
  /// Alignment of a cluster's struct in bytes.
  [[nodiscard]] std::uint32_t clusterAlignment(std::uint32_t cluster) const;
  /// Offset of a field inside its cluster's struct.
  [[nodiscard]] std::uint64_t offsetInCluster(std::uint32_t field) const;
  /// The order of the elements; tiles and planes count places.
  [[nodiscard]] const ElementPlaces &places() const { return places_; }

private:
  struct Placement {
    std::uint32_t cluster = 0;
    std::uint64_t offset = 0;
    std::uint64_t laneBytes = 0; ///< from one element of an array member to the next
  };
  ElementPlaces places_;
  std::uint64_t tile_ = 1;
  std::uint64_t blockBytes_ = 0;
  std::uint64_t totalBytes_ = 0;
  std::vector<std::uint64_t> clusterBytes_;
  std::vector<std::uint64_t> planeBytes_;
  std::vector<std::uint64_t> clusterStart_;
  std::vector<std::uint32_t> clusterAlignment_;
  std::vector<Placement> placement_; ///< per field
};

/// Proof by exhaustion that no two fields of no two elements share a byte and all lie within
/// totalBytes(). Takes any address function, so that a broken one can be shown to fail.
/// \param offsetOf  byte offset of (element, field, element of an array member)
/// \error RL-L03 two fields share a byte, or one lies outside; the text names both
[[nodiscard]] Result<void> proveDisjoint(
    std::uint64_t elements, const std::vector<LayoutField> &fields, std::uint64_t totalBytes,
    const std::function<std::uint64_t(std::uint64_t, std::uint32_t, std::uint32_t)> &offsetOf);

/// "AoS", "aligned AoS (16)", "SoA", "AoSoA-32", or the clusters: "{x y z w} {vx vy vz}", exploded
/// ones as "{value[]}"; then the order of elements, if it is another than their own, which is all
/// of a plain array: "[i][j:16] as [j][i]".
[[nodiscard]] std::string describe(const Layout &layout, const std::vector<LayoutField> &fields);

} // namespace relayout::analysis
