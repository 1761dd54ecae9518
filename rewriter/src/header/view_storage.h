// SPDX-License-Identifier: Apache-2.0
// What a view holds and how it gets from there to an element: the part of the generated header that
// depends on whether the layout has tiles, or elements in another order.
#pragma once

#include "header/cluster_code.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace relayout::rewriter {

/// Pieces of C++ for the view classes. `i` is the element's number in all of them.
class ViewStorage {
public:
  virtual ~ViewStorage() = default;

  /// Lvalue of the cluster's struct (or bare field) of element i.
  /// \param k      element of the arrays, for exploded clusters
  /// \param hinted tell the compiler the struct's alignment, which a reference to a field forgets
  [[nodiscard]] virtual std::string at(const PlaneCode &plane, const std::string &k,
                                       bool hinted) const = 0;
  /// The same, unhinted, of what no kernel writes that reads it.
  [[nodiscard]] virtual std::string readOnlyAt(const PlaneCode &plane, const std::string &k) const {
    return at(plane, k, /*hinted=*/false);
  }
  /// False where an address takes a cast, which no constant expression has.
  [[nodiscard]] virtual bool allowsConstexpr() const { return false; }
  /// Member variables.
  [[nodiscard]] virtual std::string members() const = 0;
  /// Initialisers of a null view, one a member.
  [[nodiscard]] virtual std::vector<std::string> nulls() const = 0;
  /// Body of `operator+=(std::ptrdiff_t n)`, without the return.
  [[nodiscard]] virtual std::string advance() const = 0;
  /// Expressions over views `a` and `b`.
  [[nodiscard]] virtual std::string test() const = 0;
  [[nodiscard]] virtual std::string difference() const = 0;
  [[nodiscard]] virtual std::string comparison(const std::string &sign) const = 0;
  /// Public functions of the mutable view: placeAt, allocation.
  [[nodiscard]] virtual std::string placement() const = 0;
  /// Public function of the mutable view: fill. Where a kernel does it, places, the number of
  /// elements that CUDA can set at once; empty where it cannot.
  [[nodiscard]] virtual std::string filling() const = 0;
  /// Public function of the mutable view: copyFrom. Empty where a kernel does it.
  /// \param kind  the direction of its copies, as CUDA names it
  [[nodiscard]] virtual std::string copying(const std::string &constView,
                                            const std::string &kind) const = 0;
  /// Public function of the mutable view: eachRange, which calls something with each range of bytes
  /// of the first `count` elements. Empty where those are in no few ranges.
  [[nodiscard]] virtual std::string ranges() const { return {}; }
  /// Whether the view's elements lie in another order, of which tiling() tells copies.
  [[nodiscard]] virtual bool copiesInTiles() const { return false; }
  /// Elements that are adjacent by number in a tile's row; 0: known at run time.
  [[nodiscard]] virtual std::uint64_t rowExtent() const { return 0; }
  /// Public functions of both views: the extent of the fastest index of the numbers, how many
  /// elements are from one row of a tile to the next, how many rows, and where a tile starts.
  [[nodiscard]] virtual std::string tiling() const { return {}; }
  /// Public function of a view of a plain array, which finds an element of a tile.
  /// \param element  how the view names element i
  /// \param mayMove  the program has views that stand at other elements than the first
  [[nodiscard]] virtual std::string inTile([[maybe_unused]] const std::string &reference,
                                           [[maybe_unused]] const std::string &element,
                                           [[maybe_unused]] bool mayMove) const {
    return {};
  }
  /// Public function: the first address of the allocation.
  [[nodiscard]] virtual std::string allocation() const = 0;
  /// The condition under which an allocation of `count` elements fails; empty: none. The header's
  /// names stand as in memory_text.h.
  [[nodiscard]] virtual std::string tooMany() const { return {}; }
  /// Members of a class that is an array of kElements elements in a variable; empty where the
  /// layout has none.
  [[nodiscard]] virtual std::string room() const { return {}; }
  /// Statements of that class that place `view` at its first element.
  [[nodiscard]] virtual std::string placeInRoom() const { return {}; }
  /// What allocations are told beside their size: names of parameters, extents of the array.
  [[nodiscard]] virtual std::vector<std::string> extentParameters() const { return {}; }
  /// Types that the views use, in front of them.
  /// \param hasCoordinates  the views have what coordinates() writes
  [[nodiscard]] virtual std::string types([[maybe_unused]] bool hasCoordinates) const { return {}; }
  /// Private functions that `at` calls.
  [[nodiscard]] virtual std::string helpers() const = 0;
  /// How coordinates() gives access to an element.
  struct ElementAccess {
    std::string reference;   ///< its type
    bool isReadOnly = false; ///< as of readOnlyAt()
  };
  /// Public function of both views of a plain array, where they stand at the first element: the one
  /// of coordinates inside their extents. Empty where elements lie as numbered.
  [[nodiscard]] virtual std::string
  coordinates([[maybe_unused]] const ElementAccess &access) const {
    return {};
  }
  /// Element k behind element `first` of a plain array, where `first` begins a row.
  /// \param extent  of the rows
  [[nodiscard]] virtual std::string inRow([[maybe_unused]] std::uint64_t extent,
                                          [[maybe_unused]] bool isReadOnly) const {
    return "element(first + k)";
  }
  /// What the top of the file says about the allocation.
  [[nodiscard]] virtual std::string description() const = 0;
  /// True where whole ranges of elements are not contiguous, and kernels fill and copy them.
  [[nodiscard]] virtual bool scattersRanges() const = 0;
};

/// The storage of a layout's kind: a new kind is one file and one line here.
/// \param bound  the layout, bound to one tile
/// \param stem   what the names of types start with
/// \param mayMove  the program has views that stand at other elements than the first
[[nodiscard]] std::unique_ptr<ViewStorage> storageFor(const std::vector<PlaneCode> &planes,
                                                      const analysis::Layout &layout,
                                                      const analysis::AddressFunction &bound,
                                                      const std::string &stem, bool mayMove);

/// A pointer a cluster, and for exploded ones the distance between their planes.
[[nodiscard]] std::unique_ptr<ViewStorage>
pointerStorage(const std::vector<PlaneCode> &planes, const analysis::Layout &layout, bool mayMove);

/// The same, and the element's number: a place is computed from it.
[[nodiscard]] std::unique_ptr<ViewStorage> orderedStorage(const std::vector<PlaneCode> &planes,
                                                          const analysis::Layout &layout,
                                                          const std::string &stem);

/// The array's base and the element's number; the layout's numbers are constants.
[[nodiscard]] std::unique_ptr<ViewStorage> tileStorage(const std::vector<PlaneCode> &planes,
                                                       const analysis::Layout &layout,
                                                       const analysis::AddressFunction &bound);

} // namespace relayout::rewriter
