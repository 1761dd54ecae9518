// SPDX-License-Identifier: Apache-2.0
// Policy replay, third step: counts to time, with the constants of a machine.
#pragma once

#include "relayout/analysis/replay/replay.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// How often a kernel really ran, against what was replayed of it.
struct KernelScale {
  std::uint64_t launches = 0;
  double blocksPerLaunch = 0;
  std::uint32_t threadsPerBlock = 0;
  std::uint32_t residentBlocks = 1; ///< on one SM
  /// By access set: executed bundles for one replayed.
  std::vector<double> bySet;
};

/// What a kernel does to the memory system in all its launches, scaled up from the sample.
struct KernelVolume {
  double bundles = 0;
  double instructions = 0; ///< of memory accesses and, estimated, around them
  double memoryInstructions = 0;
  double wavefronts = 0;
  double readSectors = 0;
  double readHits = 0;
  double missLines = 0;
  double writeSectors = 0;
  double writeLines = 0;
  double l2WriteSectors = 0;
  double usedBytes = 0;
  double dramReadBytes = 0;
  double dramWriteBytes = 0;
  double scatteredBytes = 0; ///< of both, what moves in scattered granules
  double warps = 0;

  [[nodiscard]] double l2ReadSectors() const { return readSectors - readHits; }
};

[[nodiscard]] KernelVolume scaleUp(const KernelCounts &counts, const KernelScale &scale,
                                   const Machine &machine);

/// Where the time goes, in nanoseconds over all launches. The resources work side by side.
struct KernelTime {
  double issueNs = 0;
  double l1Ns = 0;
  double l2ReadNs = 0;
  double l2WriteNs = 0;
  double dramNs = 0;
  double startNs = 0;   ///< starting the blocks
  double latencyNs = 0; ///< what too few warps cannot hide
  double launchNs = 0;
  double otherNs = 0; ///< work the trace does not show, known where a kernel was measured
  double totalNs = 0;
};

[[nodiscard]] KernelTime timeOf(const KernelVolume &volume, const KernelScale &scale,
                                const Machine &machine, double otherNs = 0);

/// The work beside the replayed accesses that makes the model meet a measured duration; 0 where
/// the model is above it already.
[[nodiscard]] double otherWorkNs(const KernelTime &modelled, double measuredNs);

/// Half the width of a prediction, as part of it. A choice, not a bound: of the time ratios in
/// docs/results/decision.json the median error is 2.3 %, the largest 18 %.
inline constexpr double kPredictionError = 0.05;

struct Interval {
  double low = 0;
  double high = 0;

  [[nodiscard]] bool overlaps(const Interval &other) const {
    return low <= other.high && other.low <= high;
  }
};

[[nodiscard]] Interval intervalAround(double value);

} // namespace relayout::analysis
