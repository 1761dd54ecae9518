// SPDX-License-Identifier: Apache-2.0
// The cost model: volumes of a kernel to the time it takes.
#include "relayout/analysis/replay/cost.h"

#include "neighbours.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>
#include <vector>

namespace relayout::analysis {
namespace {

/// Resources that are busy at the same time slow each other down near their limits: the total is
/// the power mean of their times. 1 would be one after the other, infinity perfect overlap.
constexpr double kOverlap = 5;

/// Sectors that a slice of L2 gives for one request in the time that it takes a request.
constexpr double kSectorsARequest = 2;

/// The same for waiting warps and the memory they wait for: the nearer it is to its limit, the
/// longer a wait takes. Measured on an H100 with loops of 1 to 8 blocks an SM that only read: 396
/// to 496 ns a load.
constexpr double kLoadedOverlap = 3;

/// A load waits for stores as well. Where DRAM is busy all the time, a wait takes so many parts
/// more for each part of the bytes that is written. The same loops with a store for each load: 454
/// to 922 ns.
constexpr double kWaitForWrites = 2;

/// Beyond this part of L2 an array of an earlier launch is taken for gone.
constexpr double kResidentPart = 0.5;

/// Below this density, a run that every block has from end to end of the region, more or less, is
/// one of scattered accesses; shorter ones are shared by neighbours, soon after one another.
constexpr double kSparse = 0.5;

/// What one launch asks of L2 for one region, in granules.
struct Demand {
  double streamed = 0;   ///< touched for the first time, in runs
  double again = 0;      ///< touched by other blocks as well, here and there in a shared run
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
      const double density = static_cast<double>(d) / 64;
      const double part = traffic.extentByDensity[d] * scale;
      const double ofRange = covered * (part / extent);
      // Where lanes rise evenly, blocks go beside one another; else they meet by chance.
      const double evenly = traffic.evenly / traffic.sectors;
      const double once = evenly * std::min(part * density, ofRange) +
                          (1 - evenly) * ofRange * (1 - std::pow(1 - density, sharing));
      demand.streamed += once;
      if (density < kSparse && ofBlock > kWide * range)
        demand.again += std::max(part * density - once, 0.0);
    }
    if (demand.again > 0)
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
/// by take turns there, each its share.
double scatteredHits(const std::vector<Demand> &demands, const Machine &machine) {
  double workingSet = 0;
  double scattered = 0;
  double streamed = 0;
  for (const Demand &demand : demands) {
    workingSet += demand.workingSet * kGranuleBytes;
    scattered += demand.again + demand.isolated;
    streamed += demand.streamed;
  }
  if (workingSet <= 0)
    return 1;
  double hits = std::min(1.0, static_cast<double>(machine.l2ScatteredBytes) / workingSet);
  for (int i = 0; i < 20; ++i) {
    const double missed = scattered * (1 - hits) + 1;
    const double share = missed / (missed + streamed);
    const double next =
        std::min(1.0, share * static_cast<double>(machine.l2ScatteredBytes) / workingSet);
    hits = (hits + next) / 2;
  }
  return hits;
}

double powerMean(std::initializer_list<double> times, double power = kOverlap) {
  const double longest = std::max(times);
  if (longest <= 0)
    return 0;
  double sum = 0;
  for (const double time : times)
    sum += std::pow(time / longest, power);
  return longest * std::pow(sum, 1 / power);
}

/// L2 takes so many requests, each for the sectors of one line, and gives so many sectors; what
/// takes longer counts. The rate of requests is that of sectors that come one at a time.
double sectorTime(double sectors, double requests, double sectorRate, double requestRate) {
  return std::max(sectors / sectorRate, requests / requestRate);
}

} // namespace

double KernelScale::blocksOfAnSm(const Machine &machine) const {
  return std::clamp(std::ceil(blocksPerLaunch / machine.sms), 1.0,
                    std::max(static_cast<double>(residentBlocks), 1.0));
}

KernelVolume scaleUp(const KernelCounts &counts, const KernelScale &scale, const Machine &machine,
                     double launchNs) {
  KernelVolume volume;
  double replayed = 0;
  double executed = 0;
  double uses = 0;
  for (std::size_t i = 0; i < counts.sets.size(); ++i) {
    const SetCounts &set = counts.sets[i];
    const double factor = scale.bySet[i];
    const auto memory = static_cast<double>(set.readInstructions + set.writeInstructions);
    volume.memoryInstructions += factor * memory;
    volume.instructions += factor * (memory + static_cast<double>(set.otherInstructions));
    volume.waits += factor * static_cast<double>(set.waits);
    volume.longWaits += factor * static_cast<double>(set.longWaits);
    uses += factor * static_cast<double>(set.valueUses);
    volume.wavefronts += factor * static_cast<double>(set.wavefronts);
    volume.readSectors += factor * static_cast<double>(set.readSectors);
    volume.readHits += factor * static_cast<double>(set.readHits);
    volume.missLines += factor * static_cast<double>(set.missLines);
    volume.writeSectors += factor * static_cast<double>(set.writeSectors);
    volume.writeLines += factor * static_cast<double>(set.writeLines);
    volume.l2WriteSectors += factor * set.l2WriteSectors;
    volume.l2WholeSectors += factor * set.l2WholeSectors;
    volume.usedBytes += factor * static_cast<double>(set.usedBytes);
    replayed += static_cast<double>(set.bundles);
    executed += factor * static_cast<double>(set.bundles);
  }
  volume.instructions += std::max(scale.arithmetic - uses, 0.0);
  const double launches = scale.launches;
  const auto blocks = static_cast<double>(counts.blocks);
  volume.warps = launches * scale.blocksPerLaunch * std::ceil(scale.threadsPerBlock / 32.0);
  if (replayed == 0 || launches == 0)
    return volume;

  const double perLaunch = executed / replayed / launches;
  if (const double missed = volume.readSectors - volume.readHits; missed > 0) {
    const double found =
        std::min(sharedInL1(counts, scale, machine) * executed / replayed / missed, 1.0);
    const double together =
        launchNs > 0
            ? std::min(askedOnce(counts, scale, machine, launchNs) * executed / replayed / missed,
                       1.0)
            : 0;
    volume.readHits += missed * found;
    volume.askedOnce = missed * (1 - found) * together;
    volume.missLines *= (1 - found) * (1 - together);
  }
  const double resident = static_cast<double>(scale.residentBlocks) * machine.sms;
  const double inFlight = std::min(1.0, resident / std::max(scale.blocksPerLaunch, 1.0));
  const auto demands = [&](const std::vector<ArrayTraffic> &regions) {
    std::vector<Demand> result;
    for (const ArrayTraffic &region : regions)
      result.push_back(demandOf(region, perLaunch, rangeOf(region, counts, scale), blocks));
    return result;
  };
  const std::vector<Demand> reads = demands(counts.reads);
  const std::vector<Demand> writes = demands(counts.writes);
  std::vector<Demand> both = reads;
  both.resize(std::max(reads.size(), writes.size()));
  for (std::size_t i = 0; i < writes.size(); ++i) {
    both[i].streamed += writes[i].streamed;
    both[i].again += writes[i].again;
    both[i].isolated += writes[i].isolated;
    both[i].workingSet = std::max(both[i].workingSet, writes[i].workingSet);
  }
  const double hits = scatteredHits(both, machine);
  const auto streamedBytes = [](const std::vector<Demand> &regions) {
    double granules = 0;
    for (const Demand &region : regions)
      granules += region.streamed;
    return granules * kGranuleBytes;
  };
  const double rowsAGranule =
      counts.isolated.granules > 0 ? counts.isolated.rows / counts.isolated.granules : 1;
  double rows = 0;
  const auto scatteredBytes = [&](const std::vector<Demand> &regions) {
    double granules = 0;
    for (const Demand &region : regions) {
      const double isolated = std::max(region.distinct * hits, region.isolated * (1 - hits));
      const double again = region.again * (1 - hits);
      granules += isolated + again;
      rows += isolated * rowsAGranule + again;
    }
    return granules * kGranuleBytes;
  };
  const double streamed = streamedBytes(reads);
  const double scattered = scatteredBytes(reads);
  const double written = streamedBytes(writes);
  const double scatteredWrites = scatteredBytes(writes);
  const double footprint = streamed + scattered + written + scatteredWrites;
  // What blocks ask for again misses in L2 as far as an SM's part of it does not hold it, but only
  // when all that run together touch too much: what SMs have in common is there once.
  const double tooMuch =
      std::clamp(footprint * inFlight / static_cast<double>(machine.l2Bytes) - 1, 0.0, 1.0);
  const AgainCounts &share = counts.again;
  const double again = volume.l2ReadSectors() / launches * kSectorBytes - streamed - scattered;
  double readAgain = 0;
  if (again > 0 && share.asked > share.first)
    readAgain =
        again * std::min(tooMuch, (share.fetched - share.first) / (share.asked - share.first));
  double filled = 0;
  double writtenAgain = 0;
  if (share.written > 0 && tooMuch > 0) {
    const double sectorBytes = written / share.writtenGranules / kSectorsAGranule;
    filled = sectorBytes * share.filled;
    writtenAgain = sectorBytes * share.writtenAgain;
  }
  // What stays in L2 from launch to launch comes from DRAM once.
  const bool stays = footprint < kResidentPart * static_cast<double>(machine.l2Bytes);
  const double times = stays ? 1 : launches;
  volume.dramReadBytes = (streamed + scattered + readAgain + filled) * times;
  // DRAM is written by sectors, and read by granules. Where lanes do not rise evenly, other blocks
  // write the sectors beside.
  ArrayTraffic allWrites;
  for (const ArrayTraffic &region : counts.writes)
    allWrites += region;
  const double idle = share.writtenGranules > 0
                          ? (written + scatteredWrites) * allWrites.evenly / allWrites.sectors *
                                (1 - share.written / (kSectorsAGranule * share.writtenGranules))
                          : 0;
  volume.dramWriteBytes = (written + scatteredWrites - idle + writtenAgain) * times;
  volume.idleBytes = idle * times;
  if (const double sectors = share.filled + share.writtenAgain; sectors > 0) {
    const double againBytes = (filled + writtenAgain) * times;
    volume.againGranules = againBytes / kSectorBytes * share.granules / sectors;
    volume.idleBytes += volume.againGranules * kGranuleBytes - againBytes;
  }
  volume.scatteredBytes = (scattered + scatteredWrites) * times;
  volume.scatteredRows = rows * times;
  return volume;
}

KernelTime timeOf(const KernelVolume &volume, const KernelScale &scale, const Machine &machine,
                  double otherNs) {
  KernelTime time;
  const double launches = scale.launches;
  const double sms = std::clamp(scale.blocksPerLaunch, 1.0, static_cast<double>(machine.sms));
  time.issueNs = volume.instructions / (sms * machine.instructionsPerNsPerSm);
  time.l1Ns = volume.wavefronts / (sms * machine.wavefrontsPerNsPerSm);
  // What comes from DRAM passes L2 as a request of its own, granule by granule.
  const double sectors = volume.l2ReadSectors();
  time.l2ReadNs = sectorTime(
      sectors, std::min(volume.missLines, sectors) + volume.dramReadBytes / kGranuleBytes,
      std::max(machine.l2ReadSectorsPerNs, kSectorsARequest * machine.l2ScatteredReadSectorsPerNs),
      machine.l2ScatteredReadSectorsPerNs);
  // A sector written in part takes longer.
  const double partial = volume.l2WriteSectors - volume.l2WholeSectors;
  const double linesASector = volume.writeLines / std::max(volume.writeSectors, 1.0);
  time.l2WriteNs =
      volume.l2WholeSectors / (kSectorsARequest * machine.l2ScatteredReadSectorsPerNs) +
      sectorTime(partial, partial * std::min(linesASector, 1.0), machine.l2WriteSectorsPerNs,
                 machine.l2ScatteredWriteSectorsPerNs);
  // Every byte passes at the rate of streams; opening a row for a granule takes what scattered ones
  // take beyond that.
  // A granule of which a part moves takes as long as a whole one.
  const double dramBytes = volume.dramReadBytes + volume.dramWriteBytes + volume.idleBytes;
  const double rowNs = std::max(
      1 / machine.dramScatteredGranulesPerNs - kGranuleBytes / machine.dramBytesPerNs, 0.0);
  time.dramNs =
      dramBytes / machine.dramBytesPerNs + (volume.scatteredRows + volume.againGranules) * rowNs;
  time.startNs = launches * scale.blocksPerLaunch * machine.blockStartNs / sms;

  if (volume.warps > 0 && volume.waits > 0) {
    const double missed = volume.longWaits / volume.waits;
    const double fromDram =
        volume.l2ReadSectors() > 0
            ? std::min(1.0, volume.dramReadBytes / (volume.l2ReadSectors() * kSectorBytes))
            : 0;
    const double latency = machine.l1LatencyNs + missed * ((1 - fromDram) * machine.l2LatencyNs +
                                                           fromDram * machine.dramLatencyNs);
    const double resident =
        scale.blocksOfAnSm(machine) * std::ceil(scale.threadsPerBlock / 32.0) * sms;
    time.latencyNs = volume.waits / std::max(resident, 1.0) * latency;
  }
  time.launchNs = launches * machine.launchNs;
  time.otherNs = otherNs;
  const double busy = powerMean({time.l2ReadNs + time.l2WriteNs, time.dramNs});
  double memory = std::max(busy, time.latencyNs);
  for (int i = 0; i < 4 && memory > 0; ++i) { // the longer a wait, the less busy is DRAM
    const double load = time.dramNs / memory * volume.dramWriteBytes / std::max(dramBytes, 1.0);
    memory = powerMean({time.latencyNs * (1 + kWaitForWrites * load), busy}, kLoadedOverlap);
  }
  time.totalNs =
      powerMean({time.issueNs, time.l1Ns, memory, time.startNs}) + time.launchNs + time.otherNs;
  return time;
}

double otherWorkNs(const KernelTime &modelled, double measuredNs) {
  return std::max(measuredNs - (modelled.totalNs - modelled.otherNs), 0.0);
}

Resource bindingResource(const KernelTime &time) {
  const std::array<std::pair<Resource, double>, 8> resources{
      {{Resource::Issue, time.issueNs},
       {Resource::L1, time.l1Ns},
       {Resource::L2, time.l2ReadNs + time.l2WriteNs},
       {Resource::Dram, time.dramNs},
       {Resource::BlockStart, time.startNs},
       {Resource::Latency, time.latencyNs},
       {Resource::Launch, time.launchNs},
       {Resource::OtherWork, time.otherNs}}};
  return std::ranges::max_element(resources, {}, &std::pair<Resource, double>::second)->first;
}

const char *resourceName(Resource resource) {
  switch (resource) {
  case Resource::Issue:
    return "issue";
  case Resource::L1:
    return "L1";
  case Resource::L2:
    return "L2";
  case Resource::Dram:
    return "DRAM";
  case Resource::BlockStart:
    return "block start";
  case Resource::Latency:
    return "latency";
  case Resource::Launch:
    return "launch";
  case Resource::OtherWork:
    return "other work";
  }
  std::abort(); // not a Resource
}

double ratioError(Resource before, Resource after) {
  const auto isMemory = [](Resource resource) {
    return resource == Resource::L2 || resource == Resource::Dram;
  };
  if (isMemory(before) && isMemory(after))
    return before == Resource::Dram && after == Resource::Dram ? 0.02 : 0.025;
  return before == after ? 0.015 : 0.12;
}

} // namespace relayout::analysis
