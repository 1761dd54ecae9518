// SPDX-License-Identifier: Apache-2.0
// Policy replay, third step: counts to time, with the constants of a machine.
#pragma once

#include "relayout/analysis/replay/sm/replay.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// The run that is decided for, against the traced one.
struct RunScale {
  double elements = 1; ///< arrays so many times as long, launches of so many times as many blocks
  double launches = 1; ///< so many times as many of them
};

/// How often a kernel really ran, against what was replayed of it.
struct KernelScale {
  double launches = 0;
  double blocksPerLaunch = 0;
  std::uint32_t threadsPerBlock = 0;
  std::uint32_t residentBlocks = 1; ///< on one SM
  std::uint64_t l1Bytes = 0;        ///< of its cache, shared memory taken off
  double elements = 1;              ///< see RunScale
  /// Warp instructions of all launches that stand around the accesses in the source; 0: not known.
  double arithmetic = 0;
  /// By access set: executed bundles for one replayed.
  std::vector<double> bySet;

  /// Blocks of a launch that share an SM, as far as its grid has so many; at least 1.
  [[nodiscard]] double blocksOfAnSm(const Machine &machine) const;
};

/// What a kernel does to the memory system in all its launches, scaled up from the sample.
struct KernelVolume {
  double waits = 0;        ///< of warps for loads that started together
  double longWaits = 0;    ///< of these, for one that missed L1
  double severalWaits = 0; ///< of these, for more than one load
  double instructions = 0; ///< of memory accesses and, estimated, around them
  double memoryInstructions = 0;
  double wavefronts = 0;
  double readSectors = 0;
  double readHits = 0;
  double askedOnce = 0; ///< sectors that several SMs miss and L2 is asked for once
  double missLines = 0;
  double writeSectors = 0;
  double writeLines = 0;
  double l2WriteSectors = 0;
  double l2WholeSectors = 0; ///< of these, written from end to end
  double usedBytes = 0;
  double dramReadBytes = 0;
  double dramWriteBytes = 0;
  /// Of these, what the last launch leaves in L2 when it ends. It goes to DRAM when room is needed,
  /// and takes its time then; counters that end with the launch have not seen it.
  double leftInL2Bytes = 0;
  double scatteredBytes = 0; ///< of both, what moves in scattered granules
  double scatteredRows = 0;  ///< rows of DRAM opened for them
  double againGranules = 0;  ///< written again, or read as they were written in part; one at a time
  double idleBytes = 0;      ///< of granules of both of which a part moves, the others
  double warps = 0;

  [[nodiscard]] double l2ReadSectors() const { return readSectors - readHits - askedOnce; }
};

/// \param launchNs  about what one launch takes, as neighbours that run at once ask L2 together; 0:
///                  not known, and left out
[[nodiscard]] KernelVolume scaleUp(const KernelCounts &counts, const KernelScale &scale,
                                   const Machine &machine, double launchNs = 0);

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
  double otherNs = 0; ///< what the trace does not show, known where a kernel was measured
  double totalNs = 0;
};

[[nodiscard]] KernelTime timeOf(const KernelVolume &volume, const KernelScale &scale,
                                const Machine &machine, double otherNs = 0);

/// What a kernel takes beyond what the model explains of its measured duration: waiting and
/// arithmetic that stay whatever the layout. 0 where the model is above it already.
[[nodiscard]] double otherWorkNs(const KernelTime &modelled, double measuredNs);

/// What a kernel waits for most.
enum class Resource { Issue, L1, L2, Dram, BlockStart, Latency, Launch, OtherWork };

[[nodiscard]] Resource bindingResource(const KernelTime &time);

/// "DRAM".
[[nodiscard]] const char *resourceName(Resource resource);

/// By how much the ratio of two layouts' times in one kernel is off, as a part of it, in one case
/// of three: more where the layouts make the kernel wait for different things. From the ratios in
/// docs/results/decision.json: 0.016 of 144 that wait for DRAM (0.02 of 127 on an H200), 0.014 of
/// 19 that wait for L1 or issue (0.014), 0.029 of 37 with L2 in it (0.025 of 40; 0.025 of all 77),
/// 0.12 to 0.15 of those that come from L1 or a full SM to something else.
[[nodiscard]] double ratioError(Resource before, Resource after);

} // namespace relayout::analysis
