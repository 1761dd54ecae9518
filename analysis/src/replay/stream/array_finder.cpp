// SPDX-License-Identifier: Apache-2.0
// Arrays by allocation, group and phase.
#include "replay/stream/array_finder.h"

#include <bit>

namespace relayout::analysis {

std::uint32_t ArrayFinder::arrayOf(trace::Index group, std::uint64_t address,
                                   std::uint64_t elements) {
  const auto [at, isNew] = arrayIndex_.try_emplace(std::pair(group, address),
                                                   static_cast<std::uint32_t>(arrays_.size()));
  if (isNew)
    arrays_.push_back({group, address, elements});
  return at->second;
}

bool ArrayFinder::locate(SiteFacts &facts, std::uint64_t address) {
  facts.range = allocations_.find(address);
  if (facts.range == nullptr)
    return false;
  const bool ofRecord = facts.group != trace::kNone;
  // What is smaller than one record holds none: the site's name stands for something else there.
  if (ofRecord && facts.range->end - facts.range->begin < facts.recordBytes) {
    facts.range = nullptr;
    return false;
  }
  facts.origin = facts.range->begin;
  if (ofRecord) {
    // Records need not start where the allocation does: a pool holds several arrays. The first
    // access to an allocation tells the phase.
    const auto [phase, isNew] = phase_.try_emplace(std::pair(facts.group, facts.origin), 0);
    if (isNew) {
      const std::uint64_t within = (address - facts.origin) % facts.recordBytes;
      if (within < facts.fieldOffset || within >= facts.fieldOffset + facts.fieldBytes)
        phase->second = (within + facts.recordBytes - facts.fieldOffset) % facts.recordBytes;
    }
    facts.origin += phase->second;
  }
  const std::uint64_t elements =
      (facts.range->end - facts.origin) / (ofRecord ? facts.recordBytes : kFixedWordBytes);
  facts.array = arrayOf(ofRecord ? facts.group : trace::kNone, facts.origin, elements);
  return true;
}

std::uint32_t
ArrayFinder::inOneAllocation(const std::array<std::uint64_t, trace::kWarpLanes> &addresses,
                             std::uint32_t lanes) const {
  std::uint32_t same = 0;
  const AllocationMap::Range *first = nullptr;
  for (std::uint32_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const AllocationMap::Range *const range = allocations_.find(addresses[lane]);
    if (same == 0)
      first = range;
    if (range == first)
      same |= left & -left;
  }
  return same;
}

std::uint64_t ArrayFinder::withinRecord(trace::Index group, std::uint32_t recordBytes,
                                        std::uint64_t address) const {
  const std::uint64_t begin = allocations_.find(address)->begin;
  const auto phase = phase_.find({group, begin});
  const std::uint64_t offset = address - begin, skipped = phase == phase_.end() ? 0 : phase->second;
  return (offset + recordBytes - skipped) % recordBytes;
}

} // namespace relayout::analysis
