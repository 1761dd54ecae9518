// SPDX-License-Identifier: Apache-2.0
// The order of an array's elements: which digit of an element's number runs fastest in memory.
#pragma once

#include "relayout/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace relayout::analysis {

/// A permutation of the digits of element numbers, with pads. Element e of `a[n][256][16]` has,
/// with the extents {16, 256}, the digits e mod 16, e / 16 mod 256 and e / 4096; the digits {1, 0,
/// 2} put those of the middle index side by side, as in `a[n][16][256]`. Transposed grids, bricks
/// (digits that are parts of one index) and Morton order are values of it.
struct ElementOrder {
  std::vector<std::uint64_t> extents; ///< of all digits but the highest, the lowest first
  std::vector<std::uint32_t> digits;  ///< the fastest first; empty: elements as numbered
  /// How the program writes each extent where it allocates; empty text: the extent is a constant.
  std::vector<std::string> texts = {};
  /// Places of each digit, the lowest first: its extent is rounded up to a multiple of this, so
  /// that rows of it begin where sectors or lines do; empty: no digit has a pad.
  std::vector<std::uint32_t> multiples = {};

  [[nodiscard]] bool isAsNumbered() const { return digits.empty(); }
  /// Whether a digit's extent has a text: it is known at run time, as the highest one's is.
  [[nodiscard]] bool isNamed(std::size_t digit) const {
    return digit < texts.size() && !texts[digit].empty();
  }
  [[nodiscard]] std::uint32_t multipleOf(std::size_t digit) const {
    return multiples.empty() ? 1 : multiples[digit];
  }
  bool operator==(const ElementOrder &) const = default;
};

/// An order bound to an array's length: the place of every element.
class ElementPlaces {
public:
  /// As numbered.
  ElementPlaces() = default;

  /// \error RL-L06 the digits are no permutation, an extent is below 2 or makes a product that
  ///        64 bits do not hold, or there are texts or multiples of other digits
  [[nodiscard]] static Result<ElementPlaces> bind(const ElementOrder &order,
                                                  std::uint64_t elements);

  [[nodiscard]] bool isAsNumbered() const { return digits_.empty(); }
  [[nodiscard]] std::uint64_t of(std::uint64_t element) const {
    std::uint64_t place = 0;
    for (const Digit &digit : digits_) {
      const std::uint64_t rest = element / digit.extent;
      place += (element - rest * digit.extent) * digit.stride;
      element = rest;
    }
    return digits_.empty() ? element : place + element * highestStride_;
  }
  /// Places that an array of `elements` takes: every digit but the highest runs through its
  /// extent, and every pad is whole.
  [[nodiscard]] std::uint64_t count() const { return count_; }

  struct Digit {
    std::uint64_t extent = 1;
    std::uint64_t stride = 1; ///< places
    bool isConstant = true;   ///< else known at run time
  };
  /// All but the highest, the lowest first.
  [[nodiscard]] const std::vector<Digit> &digits() const { return digits_; }

private:
  std::vector<Digit> digits_;
  std::uint64_t highestStride_ = 1;
  std::uint64_t count_ = 0;
};

/// Indices from the slowest to the fastest before and after: "[i][j:256][k:16] as [i][k][j]"; with
/// pads "[i][j:1002] as [i][j to 8]".
[[nodiscard]] std::string describe(const ElementOrder &order);

} // namespace relayout::analysis
