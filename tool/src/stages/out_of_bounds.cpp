// SPDX-License-Identifier: Apache-2.0
// Compares every recorded access with the allocations.
#include "stages/out_of_bounds.h"

#include <algorithm>
#include <map>

namespace relayout::tool {
namespace {

/// Memory that was allocated at some time, overlaps joined: end by begin.
std::map<std::uint64_t, std::uint64_t> allocated(const trace::Trace &trace) {
  std::map<std::uint64_t, std::uint64_t> ranges;
  for (const trace::Allocation &allocation : trace.allocations) {
    std::uint64_t &end = ranges[allocation.address];
    end = std::max(end, allocation.address + allocation.bytes);
  }
  for (auto range = ranges.begin(); range != ranges.end();) {
    const auto next = std::next(range);
    if (next != ranges.end() && next->first <= range->second) {
      range->second = std::max(range->second, next->second);
      ranges.erase(next);
    } else {
      range = next;
    }
  }
  return ranges;
}

} // namespace

Result<std::optional<OutOfBoundsAccesses>> outOfBoundsAccesses(const trace::TraceHandle &trace) {
  const std::map<std::uint64_t, std::uint64_t> ranges = allocated(*trace);
  const auto isInside = [&](std::uint64_t address, std::uint32_t bytes) {
    auto range = ranges.upper_bound(address);
    return range != ranges.begin() && address + bytes <= (--range)->second;
  };
  OutOfBoundsAccesses stray;
  const Result<void> read = trace.accesses()([&](const trace::WarpAccess &access) {
    for (int lane = 0; lane < trace::kWarpLanes; ++lane) {
      if ((access.activeMask >> lane & 1) == 0 || isInside(access.addresses[lane], access.bytes))
        continue;
      if (stray.warpAccesses++ == 0)
        for (const trace::Site &site : trace->sites.sites)
          if (site.id == access.site)
            stray.first = site.place;
      break;
    }
    return true;
  });
  if (!read)
    return tl::unexpected(read.error());
  return stray.warpAccesses == 0 ? std::nullopt : std::optional(stray);
}

} // namespace relayout::tool
