// SPDX-License-Identifier: Apache-2.0
// Policy replay, third step: counts of a sample to what the whole run moves.
#pragma once

#include "relayout/analysis/replay/sm/kernel_counts.h"
#include "relayout/analysis/replay/stream/kernel_scale.h"

namespace relayout::analysis {

/// What a kernel does to the memory system in all its launches, scaled up from the sample.
struct KernelVolume {
  double stalls = 0;          ///< of warps for loads that started together
  double longStalls = 0;      ///< of these, for one that missed L1
  double lateStalls = 0;      ///< of the others, for sectors in flight
  double multiLoadStalls = 0; ///< of these, for more than one load
  double placingCycles = 0;   ///< that warps wait for the places of elements
  double instructions = 0;    ///< of memory accesses and, estimated, around them
  double doubles = 0;         ///< of these, arithmetic in double precision
  double specials = 0;        ///< of these, approximations of special functions
  double memoryInstructions = 0;
  double wavefronts = 0;
  double readSectors = 0;
  double readHits = 0;
  double mergedMisses =
      0; ///< sectors that several SMs miss and L2 is asked for once: merged in-flight misses
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
  double refetchedGranules =
      0;                ///< written again, or read as they were written in part; one at a time
  double idleBytes = 0; ///< of granules of both of which a part moves, the others
  double warps = 0;
  double walkNs = 0;       ///< of the machine code of a walk, issue and waits; 0: not known
  double walkIssued = 0;   ///< part of the issue slots that it uses
  double walkingWarps = 0; ///< that a scheduler has of it

  [[nodiscard]] double l2ReadSectors() const { return readSectors - readHits - mergedMisses; }
};

/// \param launchNs  about what one launch takes, as adjacent blocks that run at once ask L2
/// together; 0:
///                  not known, and left out
[[nodiscard]] KernelVolume scaleUp(const KernelCounts &counts, const KernelScale &scale,
                                   const Machine &machine, double launchNs = 0);

} // namespace relayout::analysis
