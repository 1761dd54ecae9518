// SPDX-License-Identifier: Apache-2.0
// The cost model: volumes of a kernel to the time it takes.
#include "relayout/analysis/replay/cost/kernel_time.h"

#include "relayout/analysis/gpu/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace relayout::analysis {
namespace {

/// Steps of a fixed point: what a wait and the load of DRAM make of each other.
constexpr int kLoadSteps = 4;

double powerMean(std::initializer_list<double> times, double power = fit::kOverlap) {
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

KernelTime timeOf(const KernelVolume &volume, const KernelScale &scale, const Machine &machine,
                  double otherNs) {
  KernelTime time;
  const double launches = scale.launches;
  const double sms = std::clamp(scale.blocksPerLaunch, 1.0, static_cast<double>(machine.sms));
  time.issueNs = volume.instructions / (sms * machine.instructionsPerNsPerSm);
  const double cyclesPerNs = machine.instructionsPerNsPerSm / kSchedulers;
  time.arithmeticNs = std::max(volume.doubles / machine.architecture.doublesACycle,
                               volume.specials / machine.architecture.specialsACycle) *
                      kWarpThreads / (sms * cyclesPerNs);
  time.l1Ns = volume.wavefronts / (sms * machine.wavefrontsPerNsPerSm);
  // What comes from DRAM passes L2 as a request of its own, granule by granule.
  const double sectors = volume.l2ReadSectors();
  time.l2ReadNs = sectorTime(
      sectors, std::min(volume.missLines, sectors) + volume.dramReadBytes / kGranuleBytes,
      std::max(machine.l2ReadSectorsPerNs,
               fit::kSectorsARequest * machine.l2ScatteredReadSectorsPerNs),
      machine.l2ScatteredReadSectorsPerNs);
  // A sector written in part takes longer.
  const double partial = volume.l2WriteSectors - volume.l2WholeSectors;
  const double linesASector = volume.writeLines / std::max(volume.writeSectors, 1.0);
  time.l2WriteNs =
      volume.l2WholeSectors / (fit::kSectorsARequest * machine.l2ScatteredReadSectorsPerNs) +
      sectorTime(partial, partial * std::min(linesASector, 1.0), machine.l2WriteSectorsPerNs,
                 machine.l2ScatteredWriteSectorsPerNs);
  // Every byte passes at the rate of streams, a granule of which a part moves as a whole one;
  // opening a row for a granule takes what scattered ones take beyond that.
  const double dramBytes = volume.dramReadBytes + volume.dramWriteBytes + volume.idleBytes;
  const double rowNs = std::max(
      1 / machine.dramScatteredGranulesPerNs - kGranuleBytes / machine.dramBytesPerNs, 0.0);
  time.dramNs = dramBytes / machine.dramBytesPerNs +
                (volume.scatteredRows + volume.refetchedGranules) * rowNs;
  time.startNs = launches * scale.blocksPerLaunch * machine.blockStartNs / sms;

  if (volume.warps > 0) {
    const double resident =
        scale.blocksOfAnSm(machine) * static_cast<double>(warpsOf(scale.threadsPerBlock)) * sms;
    const double missed = volume.longStalls / std::max(volume.stalls, 1.0);
    const double fromDram =
        volume.l2ReadSectors() > 0
            ? std::min(1.0, volume.dramReadBytes / (volume.l2ReadSectors() * kSectorBytes))
            : 0;
    const double latency = machine.l1LatencyNs + missed * ((1 - fromDram) * machine.l2LatencyNs +
                                                           fromDram * machine.dramLatencyNs);
    const double stalls = volume.stalls + fit::kWaitForSeveral * volume.multiLoadStalls;
    const double placingNs = scale.isRealRun ? volume.placingCycles / cyclesPerNs : 0;
    time.latencyNs = (stalls * latency + placingNs) / std::max(resident, 1.0);
    // Warps that go through the same memory side by side come to each sector at about the same
    // time, and wait for it together; with many on a scheduler they drift apart.
    const double warps = resident / (sms * kSchedulers);
    const double together =
        std::clamp((fit::kWarpsApart - warps) / (fit::kWarpsApart - fit::kWarpsTogether), 0.0, 1.0);
    if (scale.isRealRun && volume.lateStalls > 0) {
      const double late = volume.lateStalls / (volume.lateStalls + volume.longStalls);
      time.sharedStallNs = together * (volume.lateStalls + late * volume.longStalls) *
                           machine.l2LatencyNs / std::max(resident, 1.0);
    }
  }
  time.launchNs = launches * machine.launchNs;
  time.otherNs = otherNs;
  const double busy = powerMean({time.l2ReadNs + time.l2WriteNs, time.dramNs});
  double memory = std::max(busy, time.latencyNs);
  for (int i = 0; i < kLoadSteps && memory > 0; ++i) { // the longer a wait, the less busy is DRAM
    const double load = time.dramNs / memory * volume.dramWriteBytes / std::max(dramBytes, 1.0);
    memory =
        powerMean({time.latencyNs * (1 + fit::kWaitForWrites * load), busy}, fit::kLoadedOverlap);
  }
  double work = time.issueNs + time.sharedStallNs;
  if (volume.walkNs > 0) {
    // What issues and waits is known, instruction by instruction.
    time.errorOfMachineCode = volume.walkingWarps > fit::kManyWalkingWarps
                                  ? fit::kErrorOfManyWarps
                                  : fit::kErrorOfMachineCode;
    time.sharedStallNs = 0;
    time.issueNs = volume.walkNs * volume.walkIssued;
    time.latencyNs = volume.walkIssued < fit::kIssueBinds ? volume.walkNs : 0;
    work = volume.walkNs;
    memory = busy;
  }
  time.totalNs = powerMean({work, time.arithmeticNs, time.l1Ns, memory, time.startNs}) +
                 time.launchNs + time.otherNs;
  time.latencyNs += time.sharedStallNs;
  return time;
}

double otherWorkNs(const KernelTime &modelled, double measuredNs) {
  return std::max(measuredNs - (modelled.totalNs - modelled.otherNs), 0.0);
}

Resource bindingResource(const KernelTime &time) {
  const auto resources =
      std::to_array<std::pair<Resource, double>>({{Resource::Issue, time.issueNs},
                                                  {Resource::Arithmetic, time.arithmeticNs},
                                                  {Resource::L1, time.l1Ns},
                                                  {Resource::L2, time.l2ReadNs + time.l2WriteNs},
                                                  {Resource::Dram, time.dramNs},
                                                  {Resource::BlockStart, time.startNs},
                                                  {Resource::Latency, time.latencyNs},
                                                  {Resource::Launch, time.launchNs},
                                                  {Resource::OtherWork, time.otherNs}});
  return std::ranges::max_element(resources, {}, &std::pair<Resource, double>::second)->first;
}

const char *resourceName(Resource resource) {
  switch (resource) {
  case Resource::Issue:
    return "issue";
  case Resource::Arithmetic:
    return "arithmetic";
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
    return before == Resource::Dram && after == Resource::Dram ? fit::kErrorOfDram
                                                               : fit::kErrorOfL2;
  if (before != after)
    return fit::kErrorAcross;
  // What is between the accesses is estimated.
  return before == Resource::Issue || before == Resource::Arithmetic ? fit::kErrorOfIssue
                                                                     : fit::kErrorOfSm;
}

} // namespace relayout::analysis
