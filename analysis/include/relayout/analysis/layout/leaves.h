// SPDX-License-Identifier: Apache-2.0
// Policy replay: what one bit of a set of fields stands for.
#pragma once

#include "relayout/trace/site_table.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// Most leaves, and so most fields, of a record that is replayed: a set of them is one word.
inline constexpr std::uint32_t kMaxLeaves = 64;

/// A scalar field, one element of an array member, or one scalar of a nested struct. Where a record
/// has too many of them for a word, its longest fields are one leaf each.
struct Leaf {
  std::uint32_t field = 0;
  std::uint32_t element = 0;  ///< the first one it stands for
  std::uint32_t elements = 1; ///< how many
};

struct RecordLeaves {
  std::vector<Leaf> leaves;                ///< by field, then by element
  std::vector<std::uint32_t> firstOfField; ///< by field, into leaves

  /// Whether an element of the array member has a leaf of its own.
  [[nodiscard]] bool isSplit(std::uint32_t field) const {
    return leaves[firstOfField[field]].elements == 1;
  }
  [[nodiscard]] std::uint64_t all() const {
    return leaves.size() == kMaxLeaves ? ~std::uint64_t{0}
                                       : (std::uint64_t{1} << leaves.size()) - 1;
  }
  /// \param mask  bit l: leaf l
  /// \returns bit f: field f
  [[nodiscard]] std::uint64_t fieldsOf(std::uint64_t mask) const;
};

/// Without any leaf where the record has more than kMaxLeaves fields.
[[nodiscard]] RecordLeaves leavesOf(const trace::Record &record);

} // namespace relayout::analysis
