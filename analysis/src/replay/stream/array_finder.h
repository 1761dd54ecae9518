// SPDX-License-Identifier: Apache-2.0
// Policy replay: which array an address lies in, and where that begins.
#pragma once

#include "relayout/analysis/replay/stream/allocation_map.h"
#include "replay/stream/site_facts.h"

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace relayout::analysis {

class ArrayFinder {
public:
  /// \param arrays  those that are found are added here
  ArrayFinder(const std::vector<trace::Allocation> &allocations, std::vector<ReplayArray> &arrays)
      : allocations_(allocations), arrays_(arrays) {}

  /// Finds the allocation and the array that an address of the site's lies in.
  bool locate(SiteFacts &facts, std::uint64_t address);

  /// The group that the allocation there is for; kNone where it is not known.
  [[nodiscard]] trace::Index groupAt(std::uint64_t address) const {
    const AllocationMap::Range *const range = allocations_.find(address);
    return range == nullptr ? trace::kNone : range->group;
  }

  /// Those of the lanes whose addresses lie where that of the first of them does.
  [[nodiscard]] std::uint32_t
  inOneAllocation(const std::array<std::uint64_t, trace::kWarpLanes> &addresses,
                  std::uint32_t lanes) const;

  /// Where in its record an address lies, in an allocation of records of a group.
  [[nodiscard]] std::uint64_t withinRecord(trace::Index group, std::uint32_t recordBytes,
                                           std::uint64_t address) const;

private:
  std::uint32_t arrayOf(trace::Index group, std::uint64_t address, std::uint64_t elements);

  AllocationMap allocations_;
  std::vector<ReplayArray> &arrays_;
  std::map<std::pair<trace::Index, std::uint64_t>, std::uint32_t> arrayIndex_;
  std::map<std::pair<trace::Index, std::uint64_t>, std::uint64_t> phase_;
};

} // namespace relayout::analysis
