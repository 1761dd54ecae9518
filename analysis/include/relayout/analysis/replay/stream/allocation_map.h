// SPDX-License-Identifier: Apache-2.0
// Policy replay: which device array an address lies in.
#pragma once

#include "relayout/trace/trace.h"

#include <cstdint>
#include <iterator>
#include <map>
#include <vector>

namespace relayout::analysis {

/// Device arrays by address. A later allocation hides what it overlaps of an earlier, freed one.
class AllocationMap {
public:
  explicit AllocationMap(const std::vector<trace::Allocation> &allocations) {
    for (std::uint32_t i = 0; i < allocations.size(); ++i)
      insert(allocations[i]);
  }

  struct Range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    trace::Index group = trace::kNone; ///< that it is for; kNone: not known
  };
  [[nodiscard]] const Range *find(std::uint64_t address) const {
    auto after = ranges_.upper_bound(address);
    if (after == ranges_.begin())
      return nullptr;
    const Range &range = std::prev(after)->second;
    return address < range.end ? &range : nullptr;
  }

private:
  void insert(const trace::Allocation &allocation) {
    if (allocation.bytes == 0)
      return;
    const std::uint64_t end = allocation.address + allocation.bytes;
    auto at = ranges_.lower_bound(allocation.address);
    if (at != ranges_.begin() && std::prev(at)->second.end > allocation.address)
      --at;
    while (at != ranges_.end() && at->second.begin < end)
      at = ranges_.erase(at);
    ranges_[allocation.address] = {allocation.address, end, allocation.group};
  }

  std::map<std::uint64_t, Range> ranges_;
};

} // namespace relayout::analysis
