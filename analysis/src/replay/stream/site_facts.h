// SPDX-License-Identifier: Apache-2.0
// Policy replay: what a decoder knows of a site, and remembers of its last access.
#pragma once

#include "relayout/analysis/replay/stream/allocation_map.h"
#include "relayout/analysis/replay/stream/warp_stream.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace relayout::analysis {

struct SiteFacts {
  trace::Index record = trace::kNone;
  trace::Index group = trace::kNone;
  bool isOfSeveralGroups = false; ///< such as in a method: the allocation tells which, or none
  std::uint32_t field = trace::kNone;
  std::uint64_t leaves = 0; ///< of all it accesses; of an array member: of its first element
  std::uint32_t fieldOffset = 0;
  std::uint32_t fieldBytes = 0;
  std::uint32_t recordBytes = 0;
  std::uint32_t count = 1;     ///< elements of the array member, if it is one
  std::uint32_t laneBytes = 0; ///< of one of them
  bool split = true;           ///< they have leaves of their own
  std::uint32_t region = 0;    ///< see ProgramCode::regions
  /// Executions that are scheduled together; one more is another iteration. 0: no limit.
  std::uint32_t together = 0;
  std::uint64_t executed = 0; ///< in the region that is being executed, see BundleBuilder
  std::uint64_t epoch = 0;
  trace::AccessKind kind = trace::AccessKind::Read;
  // Where its last access was, as the next one is likely there too.
  const AllocationMap::Range *range = nullptr;
  std::uint64_t origin = 0; ///< of element 0
  std::uint32_t array = 0;
  std::uint32_t elementBytes = kFixedWordBytes;
  std::uint64_t inverse = 0; ///< of elementBytes, as a part of 2^64, rounded up
  // The stride of its last access, in bytes and in elements: divisions are dear.
  std::int64_t lastStride = 0;
  std::int32_t lastElementStride = 0;
  std::uint32_t lastSet = ~0u; ///< that it began, of the kernel that was executed then

  void divideBy(std::uint32_t bytes) {
    elementBytes = std::max(bytes, 1u);
    inverse = ~std::uint64_t{0} / elementBytes + 1;
  }
  /// offset / elementBytes by a multiplication: exact below 2^64 / elementBytes.
  [[nodiscard]] std::uint64_t elementAt(std::uint64_t offset) const {
    if (elementBytes == 1)
      return offset;
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(offset) * inverse >> 64);
  }
};

/// By index into SiteTable::sites.
/// \param leaves  by record
[[nodiscard]] std::vector<SiteFacts> siteFacts(const trace::SiteTable &sites,
                                               const ProgramCode &code,
                                               const std::vector<RecordLeaves> &leaves);

/// A site's facts where its access is to a field of a group's record.
/// \param facts   of the site, in any group
/// \param field   kNone: the whole record
/// \param leaves  of the group's record
[[nodiscard]] SiteFacts inGroup(const SiteFacts &facts, const trace::SiteTable &sites,
                                trace::Index group, trace::Index field, const RecordLeaves &leaves);

} // namespace relayout::analysis
