// SPDX-License-Identifier: Apache-2.0
// Sums of counts.
#include "relayout/analysis/replay/sm/kernel_counts.h"

#include <algorithm>

namespace relayout::analysis {

SetCounts &SetCounts::operator+=(const SetCounts &other) {
  bundles += other.bundles;
  readInstructions += other.readInstructions;
  writeInstructions += other.writeInstructions;
  otherInstructions += other.otherInstructions;
  valueUses += other.valueUses;
  placingCycles += other.placingCycles;
  wavefronts += other.wavefronts;
  readSectors += other.readSectors;
  readHits += other.readHits;
  missLines += other.missLines;
  writeSectors += other.writeSectors;
  writeLines += other.writeLines;
  l2WriteSectors += other.l2WriteSectors;
  l2WholeSectors += other.l2WholeSectors;
  usedBytes += other.usedBytes;
  stalls += other.stalls;
  longStalls += other.longStalls;
  lateStalls += other.lateStalls;
  multiLoadStalls += other.multiLoadStalls;
  return *this;
}

KernelCounts &KernelCounts::operator+=(const KernelCounts &other) {
  sets.resize(std::max(sets.size(), other.sets.size()));
  for (std::size_t i = 0; i < other.sets.size(); ++i)
    sets[i] += other.sets[i];
  reads.resize(std::max(reads.size(), other.reads.size()));
  for (std::size_t i = 0; i < other.reads.size(); ++i)
    reads[i] += other.reads[i];
  writes.resize(std::max(writes.size(), other.writes.size()));
  for (std::size_t i = 0; i < other.writes.size(); ++i)
    writes[i] += other.writes[i];
  isolated.granules += other.isolated.granules;
  isolated.rows += other.isolated.rows;
  refetches += other.refetches;
  blocks += other.blocks;
  firstBlock = std::min(firstBlock, other.firstBlock);
  lastBlock = std::max(lastBlock, other.lastBlock);
  warps += other.warps;
  warpAccesses += other.warpAccesses;
  return *this;
}

} // namespace relayout::analysis
