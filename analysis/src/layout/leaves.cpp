// SPDX-License-Identifier: Apache-2.0
// The leaves of a record: scalar fields and, as far as they fit into a word, elements of arrays and
// scalars of nested structs.
#include "relayout/analysis/layout/leaves.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace relayout::analysis {

RecordLeaves leavesOf(const trace::Record &record) {
  RecordLeaves result;
  if (record.fields.size() > kMaxLeaves)
    return result;
  // The shortest arrays first: the more of them are split, the better.
  std::vector<std::uint32_t> byCount(record.fields.size());
  std::iota(byCount.begin(), byCount.end(), 0u);
  std::ranges::stable_sort(byCount, {},
                           [&record](std::uint32_t f) { return record.fields[f].pieces(); });
  std::vector<bool> split(record.fields.size());
  std::uint64_t leaves = record.fields.size();
  for (const std::uint32_t f : byCount) {
    const trace::Field &field = record.fields[f];
    const std::uint32_t count = field.pieces();
    split[f] = leaves + count - 1 <= kMaxLeaves && field.bytes % count == 0;
    if (split[f])
      leaves += count - 1;
  }
  for (std::uint32_t f = 0; f < record.fields.size(); ++f) {
    const std::uint32_t count = record.fields[f].pieces();
    result.firstOfField.push_back(static_cast<std::uint32_t>(result.leaves.size()));
    if (split[f])
      for (std::uint32_t k = 0; k < count; ++k)
        result.leaves.push_back({f, k, 1});
    else
      result.leaves.push_back({f, 0, count});
  }
  return result;
}

std::uint64_t RecordLeaves::fieldsOf(std::uint64_t mask) const {
  std::uint64_t fields = 0;
  for (std::uint64_t left = mask; left != 0; left &= left - 1)
    fields |= std::uint64_t{1} << leaves[static_cast<unsigned>(std::countr_zero(left))].field;
  return fields;
}

} // namespace relayout::analysis
