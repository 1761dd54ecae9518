// SPDX-License-Identifier: Apache-2.0
// Sums of traffic.
#include "relayout/analysis/replay/memory/traffic.h"

#include <algorithm>

namespace relayout::analysis {

ArrayTraffic &ArrayTraffic::operator+=(const ArrayTraffic &other) {
  isolatedGranules += other.isolatedGranules;
  for (std::size_t i = 0; i < extentByDensity.size(); ++i)
    extentByDensity[i] += other.extentByDensity[i];
  touched += other.touched;
  touchedInRuns += other.touchedInRuns;
  span += other.span;
  sectors += other.sectors;
  evenly += other.evenly;
  missedSectors += other.missedSectors;
  missedAtOnce += other.missedAtOnce;
  firstGranule = std::min(firstGranule, other.firstGranule);
  lastGranule = std::max(lastGranule, other.lastGranule);
  return *this;
}

RefetchCounts &RefetchCounts::operator+=(const RefetchCounts &other) {
  asked += other.asked;
  first += other.first;
  fetched += other.fetched;
  written += other.written;
  writtenGranules += other.writtenGranules;
  rewritten += other.rewritten;
  filled += other.filled;
  granules += other.granules;
  return *this;
}

} // namespace relayout::analysis
