// SPDX-License-Identifier: Apache-2.0
// The cost model: volumes of a kernel to the time it takes.
#include "relayout/analysis/replay/cost.h"

#include <algorithm>
#include <cmath>

namespace relayout::analysis {
namespace {

/// Resources that are busy at the same time slow each other down near their limits: the total is
/// the power mean of their times. 1 would be one after the other, infinity perfect overlap.
constexpr double kOverlap = 3;

/// Bundles of one warp that are on their way at the same time: loops are unrolled about so often.
constexpr double kBundlesInFlight = 4;

/// Beyond this part of L2 an array of an earlier launch is taken for gone.
constexpr double kResidentPart = 0.5;

struct Touched {
  double streamGranules = 0;
  double scatteredGranules = 0;
};

/// Granules from the first to the last that a launch touches. The sampled blocks are spread over
/// the grid; the range ends about one gap beyond.
double rangeOf(const ArrayTraffic &traffic, double blocks) {
  if (traffic.firstGranule > traffic.lastGranule)
    return 0;
  return static_cast<double>(traffic.lastGranule - traffic.firstGranule + 1) *
         (1 + 1 / std::max(blocks, 1.0));
}

/// The part of scattered accesses that find their granule in L2, as all regions that are accessed
/// so share it.
double scatteredHits(const KernelCounts &counts, const Machine &machine) {
  const auto blocks = static_cast<double>(counts.blocks);
  double bytes = 0;
  for (const ArrayTraffic &region : counts.reads)
    bytes += region.isolatedGranules > 0 ? rangeOf(region, blocks) * kGranuleBytes : 0;
  for (std::size_t i = 0; i < counts.writes.size(); ++i)
    if (counts.writes[i].isolatedGranules > 0 &&
        (i >= counts.reads.size() || counts.reads[i].isolatedGranules == 0))
      bytes += rangeOf(counts.writes[i], blocks) * kGranuleBytes;
  return bytes <= 0 ? 1 : std::min(1.0, static_cast<double>(machine.l2ScatteredBytes) / bytes);
}

/// Granules that one launch moves between L2 and DRAM for one region.
/// \param hits  see scatteredHits
Touched granulesOf(const ArrayTraffic &traffic, double scale, double blocks, double hits) {
  Touched touched;
  const double range = rangeOf(traffic, blocks);
  if (range == 0)
    return touched;

  double extent = 0;
  for (const double part : traffic.extentByDensity)
    extent += part * scale;
  if (extent > 0) {
    const double sharing = std::max(extent / range, 1.0);
    const double covered = std::min(extent, range);
    for (std::size_t d = 1; d < traffic.extentByDensity.size(); ++d) {
      const double density = static_cast<double>(d) / 64;
      touched.streamGranules += covered * (traffic.extentByDensity[d] * scale / extent) *
                                (1 - std::pow(1 - density, sharing));
    }
  }
  const double isolated = traffic.isolatedGranules * scale;
  if (isolated > 0) {
    const double distinct = range * -std::expm1(-isolated / range);
    touched.scatteredGranules = std::max(distinct * hits, isolated * (1 - hits));
  }
  return touched;
}

double powerMean(std::initializer_list<double> times) {
  const double longest = std::max(times);
  if (longest <= 0)
    return 0;
  double sum = 0;
  for (const double time : times)
    sum += std::pow(time / longest, kOverlap);
  return longest * std::pow(sum, 1 / kOverlap);
}

/// Rate between one sector of a line at a time and all four.
double sectorTime(double sectors, double lines, double streamRate, double scatteredRate) {
  if (sectors <= 0)
    return 0;
  const double together = std::clamp((sectors / std::max(lines, 1.0) - 1) / 3, 0.0, 1.0);
  return sectors * (together / streamRate + (1 - together) / scatteredRate);
}

} // namespace

KernelVolume scaleUp(const KernelCounts &counts, const KernelScale &scale, const Machine &machine) {
  KernelVolume volume;
  double replayed = 0;
  double executed = 0;
  for (std::size_t i = 0; i < counts.sets.size(); ++i) {
    const SetCounts &set = counts.sets[i];
    const double factor = scale.bySet[i];
    const auto memory = static_cast<double>(set.readInstructions + set.writeInstructions);
    volume.memoryInstructions += factor * memory;
    volume.instructions += factor * (memory + static_cast<double>(set.otherInstructions));
    volume.wavefronts += factor * static_cast<double>(set.wavefronts);
    volume.readSectors += factor * static_cast<double>(set.readSectors);
    volume.readHits += factor * static_cast<double>(set.readHits);
    volume.missLines += factor * static_cast<double>(set.missLines);
    volume.writeSectors += factor * static_cast<double>(set.writeSectors);
    volume.writeLines += factor * static_cast<double>(set.writeLines);
    volume.l2WriteSectors += factor * set.l2WriteSectors;
    volume.usedBytes += factor * static_cast<double>(set.usedBytes);
    replayed += static_cast<double>(set.bundles);
    executed += factor * static_cast<double>(set.bundles);
  }
  const auto launches = static_cast<double>(scale.launches);
  const auto blocks = static_cast<double>(counts.blocks);
  volume.warps = launches * scale.blocksPerLaunch * std::ceil(scale.threadsPerBlock / 32.0);
  if (replayed == 0 || launches == 0)
    return volume;

  volume.bundles = executed;
  const double perLaunch = executed / replayed / launches;
  const double hits = scatteredHits(counts, machine);
  double streamed = 0;
  double scattered = 0;
  double written = 0;
  for (const ArrayTraffic &region : counts.reads) {
    const Touched touched = granulesOf(region, perLaunch, blocks, hits);
    streamed += touched.streamGranules * kGranuleBytes;
    scattered += touched.scatteredGranules * kGranuleBytes;
  }
  double scatteredWrites = 0;
  for (const ArrayTraffic &region : counts.writes) {
    const Touched touched = granulesOf(region, perLaunch, blocks, hits);
    written += touched.streamGranules * kGranuleBytes;
    scatteredWrites += touched.scatteredGranules * kGranuleBytes;
  }
  const double footprint = streamed + scattered + written + scatteredWrites;
  // What stays in L2 from launch to launch comes from DRAM once.
  const bool stays = footprint < kResidentPart * static_cast<double>(machine.l2Bytes);
  const double times = stays ? 1 : launches;
  volume.dramReadBytes = (streamed + scattered) * times;
  volume.dramWriteBytes = (written + scatteredWrites) * times;
  volume.scatteredBytes = (scattered + scatteredWrites) * times;
  return volume;
}

KernelTime timeOf(const KernelVolume &volume, const KernelScale &scale, const Machine &machine,
                  double otherNs) {
  KernelTime time;
  const auto launches = static_cast<double>(scale.launches);
  const double sms = std::clamp(scale.blocksPerLaunch, 1.0, static_cast<double>(machine.sms));
  time.issueNs = volume.instructions / (sms * machine.instructionsPerNsPerSm);
  time.l1Ns = volume.wavefronts / (sms * machine.wavefrontsPerNsPerSm);
  time.l2ReadNs = sectorTime(volume.l2ReadSectors(), volume.missLines, machine.l2ReadSectorsPerNs,
                             machine.l2ScatteredReadSectorsPerNs);
  time.l2WriteNs =
      sectorTime(volume.l2WriteSectors,
                 volume.writeLines * volume.l2WriteSectors / std::max(volume.writeSectors, 1.0),
                 machine.l2WriteSectorsPerNs, machine.l2ScatteredWriteSectorsPerNs);
  const double dramBytes = volume.dramReadBytes + volume.dramWriteBytes;
  time.dramNs = (dramBytes - volume.scatteredBytes) / machine.dramBytesPerNs +
                volume.scatteredBytes / kGranuleBytes / machine.dramScatteredGranulesPerNs;
  time.startNs = launches * scale.blocksPerLaunch * machine.blockStartNs / sms;

  if (volume.warps > 0 && volume.bundles > 0) {
    // What a warp has to wait for are its bundles: the loads of one start together, in any layout.
    const double missed = std::min(1.0, volume.missLines / volume.bundles);
    const double fromDram =
        volume.l2ReadSectors() > 0
            ? std::min(1.0, volume.dramReadBytes / (volume.l2ReadSectors() * kSectorBytes))
            : 0;
    const double latency = machine.l1LatencyNs + missed * ((1 - fromDram) * machine.l2LatencyNs +
                                                           fromDram * machine.dramLatencyNs);
    const double resident = std::min(static_cast<double>(scale.residentBlocks),
                                     std::ceil(scale.blocksPerLaunch / machine.sms)) *
                            std::ceil(scale.threadsPerBlock / 32.0) * sms;
    const double perWarp =
        std::max(volume.bundles / volume.warps / kBundlesInFlight, 1.0) * latency;
    time.latencyNs = volume.warps / std::max(resident, 1.0) * perWarp;
  }
  time.launchNs = launches * machine.launchNs;
  time.otherNs = otherNs;
  time.totalNs = powerMean({time.issueNs, time.l1Ns, time.l2ReadNs, time.l2WriteNs, time.dramNs,
                            time.startNs, time.latencyNs, time.otherNs}) +
                 time.launchNs;
  return time;
}

double otherWorkNs(const KernelTime &modelled, double measuredNs) {
  const double busy = modelled.totalNs - modelled.launchNs;
  const double wanted = measuredNs - modelled.launchNs;
  if (wanted <= busy)
    return 0;
  return std::pow(std::pow(wanted, kOverlap) - std::pow(busy, kOverlap), 1 / kOverlap);
}

Interval intervalAround(double value) {
  return {value * (1 - kPredictionError), value * (1 + kPredictionError)};
}

} // namespace relayout::analysis
