// SPDX-License-Identifier: Apache-2.0
// From what blocks touch to what comes from DRAM and goes there.
#include "replay/cost/dram_traffic.h"

#include "relayout/analysis/gpu/fit.h"
#include "replay/cost/adjacent_blocks.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace relayout::analysis {
namespace {

/// Steps of a fixed point that halves its error in each.
constexpr int kHalvings = 20;

/// What one launch asks of L2 for one region, in granules.
struct Demand {
  double streamed = 0;   ///< touched for the first time, in runs
  double reused = 0;     ///< touched by other blocks as well, here and there in a shared run
  double isolated = 0;   ///< touched one by one
  double distinct = 0;   ///< of these, different ones
  double workingSet = 0; ///< what L2 has to hold for the scattered touches to hit
};

/// \param scale   granules of a launch for one that was replayed
/// \param blocks  replayed
Demand demandOf(const ArrayTraffic &traffic, double scale, double range, double blocks) {
  Demand demand;
  if (range == 0)
    return demand;
  double extent = 0;
  for (const double part : traffic.extentByDensity)
    extent += part * scale;
  if (extent > 0) {
    const double sharing = std::max(extent / range, 1.0);
    const double covered = std::min(extent, range);
    const double ofBlock = extent / scale / std::max(blocks, 1.0);
    for (std::size_t d = 1; d < traffic.extentByDensity.size(); ++d) {
      const double density = static_cast<double>(d) / kDensityClasses;
      const double part = traffic.extentByDensity[d] * scale;
      const double ofRange = covered * (part / extent);
      // Where lanes rise evenly, blocks go beside one another; else they meet by chance.
      const double evenly = traffic.evenly / traffic.sectors;
      const double once = evenly * std::min(part * density, ofRange) +
                          (1 - evenly) * ofRange * (1 - std::pow(1 - density, sharing));
      demand.streamed += once;
      // A sparse run that every block has from end to end of the region, more or less, is one of
      // scattered accesses; shorter ones are shared by adjacent blocks, soon after one another.
      if (density < fit::kSparse && ofBlock > fit::kWide * range)
        demand.reused += std::max(part * density - once, 0.0);
    }
    if (demand.reused > 0)
      demand.workingSet = range;
  }
  demand.isolated = traffic.isolatedGranules * scale;
  if (demand.isolated > 0) {
    demand.distinct = range * -std::expm1(-demand.isolated / range);
    demand.workingSet = range;
  }
  return demand;
}

/// The part of scattered touches that find their granule in L2. What they bring in and what streams
/// by share L2.
double scatteredHits(const std::vector<Demand> &demands, const Machine &machine) {
  double workingSet = 0;
  double scattered = 0;
  double streamed = 0;
  for (const Demand &demand : demands) {
    workingSet += demand.workingSet * kGranuleBytes;
    scattered += demand.reused + demand.isolated;
    streamed += demand.streamed;
  }
  if (workingSet <= 0)
    return 1;
  double hits = std::min(1.0, static_cast<double>(machine.l2ScatteredBytes) / workingSet);
  for (int i = 0; i < kHalvings; ++i) {
    const double missed = scattered * (1 - hits) + 1;
    const double share = missed / (missed + streamed);
    const double next =
        std::min(1.0, share * static_cast<double>(machine.l2ScatteredBytes) / workingSet);
    hits = (hits + next) / 2;
  }
  return hits;
}

/// Bytes that a launch has written and not yet sent to DRAM when it ends: the part of what it
/// touched that L2 still holds.
double leftInL2(const std::vector<Demand> &reads, const std::vector<Demand> &writes,
                const Machine &machine) {
  const auto distinct = [](const Demand &demand) { return demand.streamed + demand.distinct; };
  double touched = 0;
  double written = 0;
  for (std::size_t i = 0; i < std::max(reads.size(), writes.size()); ++i) {
    const double read = i < reads.size() ? distinct(reads[i]) : 0;
    const double stored = i < writes.size() ? distinct(writes[i]) : 0;
    touched += std::max(read, stored); // what is updated counts once
    written += stored;
  }
  const double held = static_cast<double>(machine.l2ScatteredBytes) / kGranuleBytes;
  return written * kGranuleBytes * std::min(1.0, held / std::max(touched, 1.0));
}

/// What one launch moves, in bytes.
struct Moved {
  double streamed = 0;
  double scattered = 0;
  double rows = 0; ///< of DRAM, opened for what is scattered

  [[nodiscard]] double bytes() const { return streamed + scattered; }
};

/// \param hits          the part of scattered touches that find their granule in L2
/// \param rowsAGranule  opened for those that are touched alone
Moved movedBy(const std::vector<Demand> &regions, double hits, double rowsAGranule) {
  Moved moved;
  for (const Demand &region : regions) {
    const double isolated = std::max(region.distinct * hits, region.isolated * (1 - hits));
    const double reused = region.reused * (1 - hits);
    moved.streamed += region.streamed * kGranuleBytes;
    moved.scattered += (isolated + reused) * kGranuleBytes;
    moved.rows += isolated * rowsAGranule + reused;
  }
  return moved;
}

/// What one launch moves more than once, in bytes.
struct Refetched {
  double read = 0;
  double filled = 0; ///< read for what is written back in part
  double written = 0;
};

/// A refetch misses in L2 as far as an SM's part of it does not hold it, but only
/// when all that run together touch too much: what SMs have in common is there once.
/// \param asked    bytes of L2 by one launch's loads
/// \param tooMuch  how far L2 is exceeded, 0 to 1
Refetched refetchedBy(const RefetchCounts &share, const Moved &reads, const Moved &writes,
                      double asked, double tooMuch) {
  Refetched moved;
  const double refetches = asked - reads.bytes();
  if (refetches > 0 && share.asked > share.first)
    moved.read =
        refetches * std::min(tooMuch, (share.fetched - share.first) / (share.asked - share.first));
  if (share.written > 0 && tooMuch > 0) {
    const double bytesASector = writes.streamed / (share.writtenGranules * kSectorsAGranule);
    moved.filled = bytesASector * share.filled;
    moved.written = bytesASector * share.rewritten;
  }
  return moved;
}

/// The part of written granules that is not: DRAM is written by sectors, and read by granules.
/// Where lanes do not rise evenly, other blocks write the sectors beside.
double idlePart(const KernelCounts &counts) {
  ArrayTraffic all;
  for (const ArrayTraffic &region : counts.writes)
    all += region;
  if (all.sectors <= 0 || counts.refetches.writtenGranules <= 0)
    return 0;
  return all.evenly / all.sectors *
         (1 - counts.refetches.written / (kSectorsAGranule * counts.refetches.writtenGranules));
}

} // namespace

void addDramTraffic(const KernelCounts &counts, const KernelScale &scale, const Machine &machine,
                    double perLaunch, KernelVolume &volume) {
  const auto demands = [&](const std::vector<ArrayTraffic> &regions) {
    std::vector<Demand> result;
    for (const ArrayTraffic &region : regions)
      result.push_back(demandOf(region, perLaunch, rangeOf(region, counts, scale),
                                static_cast<double>(counts.blocks)));
    return result;
  };
  const std::vector<Demand> reads = demands(counts.reads);
  const std::vector<Demand> writes = demands(counts.writes);
  std::vector<Demand> both = reads;
  both.resize(std::max(reads.size(), writes.size()));
  for (std::size_t i = 0; i < writes.size(); ++i) {
    both[i].streamed += writes[i].streamed;
    both[i].reused += writes[i].reused;
    both[i].isolated += writes[i].isolated;
    both[i].workingSet = std::max(both[i].workingSet, writes[i].workingSet);
  }
  const double hits = scatteredHits(both, machine);
  const double rowsAGranule =
      counts.isolated.granules > 0 ? counts.isolated.rows / counts.isolated.granules : 1;
  const Moved read = movedBy(reads, hits, rowsAGranule);
  const Moved written = movedBy(writes, hits, rowsAGranule);

  const double footprint = read.bytes() + written.bytes();
  const double resident = static_cast<double>(scale.residentBlocks) * machine.sms;
  const double inFlight = std::min(1.0, resident / std::max(scale.blocksPerLaunch, 1.0));
  const auto l2Bytes = static_cast<double>(machine.l2Bytes);
  const double tooMuch = std::clamp(footprint * inFlight / l2Bytes - 1, 0.0, 1.0);
  const Refetched refetched =
      refetchedBy(counts.refetches, read, written,
                  volume.l2ReadSectors() / scale.launches * kSectorBytes, tooMuch);

  // What stays in L2 from launch to launch comes from DRAM once.
  const double times = footprint < fit::kResidentPart * l2Bytes ? 1 : scale.launches;
  const double idle = written.bytes() * idlePart(counts);
  volume.dramReadBytes = (read.bytes() + refetched.read + refetched.filled) * times;
  volume.dramWriteBytes = (written.bytes() - idle + refetched.written) * times;
  volume.leftInL2Bytes = std::min(leftInL2(reads, writes, machine), volume.dramWriteBytes);
  volume.scatteredBytes = (read.scattered + written.scattered) * times;
  volume.scatteredRows = (read.rows + written.rows) * times;
  volume.idleBytes = idle * times;
  if (const double sectors = counts.refetches.filled + counts.refetches.rewritten; sectors > 0) {
    const double bytes = (refetched.filled + refetched.written) * times;
    volume.refetchedGranules = bytes / kSectorBytes * counts.refetches.granules / sectors;
    volume.idleBytes += volume.refetchedGranules * kGranuleBytes - bytes;
  }
}

} // namespace relayout::analysis
