// SPDX-License-Identifier: Apache-2.0
// Policy replay: what blocks ask of L2 and DRAM, as the replay counts it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace relayout::analysis {

inline constexpr std::size_t kDensityClasses = 64; ///< of runs

/// What blocks ask of L2 and DRAM in one region, summed over the replayed blocks. A region is an
/// array, or one plane of it where the layout has no tiles.
/// A run is a range of granules in which the next one that the block touches is never further than
/// fit::kRunGapGranules; more than fit::kScatteredRuns of at most fit::kIsolatedGranules are taken
/// for scattered accesses.
struct ArrayTraffic {
  double isolatedGranules = 0;
  /// Granules from the first to the last of each run, touched or not, by the part that was
  /// touched, in 64ths. Where k blocks share a run of density d, 1 - (1 - d)^k of it is touched.
  std::array<double, kDensityClasses + 1> extentByDensity{};
  double touched = 0; ///< granules, in runs or alone, each once a block
  double touchedInRuns =
      0;              ///< by granule: how many its run has; what adjacent blocks share at once
  double span = 0;    ///< granules from a block's first to its last
  double sectors = 0; ///< of all accesses that touched granules
  double evenly = 0;  ///< of these, by lanes whose elements rise evenly
  double missedSectors = 0; ///< of loads, in L1
  double missedAtOnce = 0;  ///< of these, by loads before a warp waited for the first time
  std::uint64_t firstGranule = ~std::uint64_t{0};
  std::uint64_t lastGranule = 0;

  ArrayTraffic &operator+=(const ArrayTraffic &other);
};

/// Granules that were taken for scattered, and what of DRAM has to be opened for them: fewer rows
/// than granules where a block touches several of one row.
struct IsolatedRows {
  double granules = 0;
  double rows = 0;
};

/// What an SM asks of L2 more than once, in sectors of a sample of lines: whether L2 still has it.
struct RefetchCounts {
  double asked = 0;   ///< by loads that missed L1
  double first = 0;   ///< of these, for the first time
  double fetched = 0; ///< of these, not in L2
  double written = 0; ///< different ones
  double writtenGranules = 0;
  double rewritten = 0; ///< after they had been written back to DRAM
  double filled = 0;    ///< read from DRAM, as only a part of them was there to be written back
  double granules = 0;  ///< of what is written again or filled

  RefetchCounts &operator+=(const RefetchCounts &other);
};

} // namespace relayout::analysis
