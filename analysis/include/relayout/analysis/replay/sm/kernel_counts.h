// SPDX-License-Identifier: Apache-2.0
// Policy replay: what one kernel does under a candidate layout, as counted on one SM.
#pragma once

#include "relayout/analysis/replay/memory/traffic.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// What one access set costs under a layout, summed over the replayed warps.
struct SetCounts {
  std::uint64_t bundles = 0;
  std::uint64_t readInstructions = 0; ///< after vectorisation
  std::uint64_t writeInstructions = 0;
  std::uint64_t otherInstructions = 0; ///< address arithmetic and a use of each value, estimated
  std::uint64_t valueUses = 0;         ///< the second part of these
  double placingCycles = 0;      ///< that warps wait for the places of elements, one warp at a time
  std::uint64_t wavefronts = 0;  ///< of L1 and shared memory, which have one data path
  std::uint64_t readSectors = 0; ///< L1 sectors of loads
  std::uint64_t readHits = 0;    ///< of these, found in L1
  std::uint64_t missLines = 0;   ///< lines with a sector not found
  std::uint64_t writeSectors = 0;
  std::uint64_t writeLines = 0;
  double l2WriteSectors = 0;    ///< what is left after adjacent stores were combined
  double l2WholeSectors = 0;    ///< of these, written from end to end
  std::uint64_t usedBytes = 0;  ///< by the lanes, equal addresses counted once
  std::uint64_t stalls = 0;     ///< of a warp for loads that started together; this set's was first
  std::uint64_t longStalls = 0; ///< of these, with a load that missed L1
  /// Of the others, for sectors in flight that another load asked for: parts of the L2 latency.
  double lateStalls = 0;
  std::uint64_t multiLoadStalls = 0; ///< of these, for more than one load

  SetCounts &operator+=(const SetCounts &other);
};

struct KernelCounts {
  std::vector<SetCounts> sets;      ///< by access set
  std::vector<ArrayTraffic> reads;  ///< by region: granules missed in L1
  std::vector<ArrayTraffic> writes; ///< by region: granules stored to
  IsolatedRows isolated;            ///< of both
  RefetchCounts refetches;
  std::uint64_t blocks = 0;       ///< replayed; cut ones count by their parts
  std::uint32_t firstBlock = ~0u; ///< of these
  std::uint32_t lastBlock = 0;
  std::uint64_t warps = 0;        ///< replayed
  std::uint64_t warpAccesses = 0; ///< replayed, as recorded

  /// Adds what another SM counted.
  KernelCounts &operator+=(const KernelCounts &other);
};

} // namespace relayout::analysis
