// SPDX-License-Identifier: Apache-2.0
// Keeps a bounded sample of the warp stream.
#include "relayout/analysis/replay/stream/sample.h"

#include "replay/stream/scale_of.h"
#include "replay/stream/wave_store.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace relayout::analysis {
namespace {

/// By access set.
std::vector<std::uint64_t> keptBundles(const KernelSample &kernel, const KernelStream &sets) {
  std::vector<std::uint64_t> kept(sets.accessSets.size());
  for (const Wave &wave : kernel.waves)
    for (const WarpRun &warp : wave.warps)
      for (const Bundle &bundle : warp.bundles)
        ++kept[bundle.accessSet];
  return kept;
}

KernelSample kernelSample(const trace::Trace &trace, trace::Index index, const WarpStream &stream,
                          WaveStore store, const Machine &machine, const RunScale &run) {
  KernelSample kernel;
  kernel.kernel = index;
  kernel.bundles = store.bundles();
  kernel.waves = store.takeWaves();
  kernel.unsampled = unsampledPart(trace, index);
  const KernelStream &sets = stream.kernels[index];
  kernel.scale = scaleOf(trace, index, stream, keptBundles(kernel, sets), machine, run);
  kernel.usesGroup.resize(trace.sites.groups.size());
  for (const AccessSet &set : sets.accessSets)
    if (const trace::Index group = stream.arrays[set.array].group; group != trace::kNone)
      kernel.usesGroup[group] = true;
  return kernel;
}

/// Kernels with recorded accesses, in the order of their first launches.
std::vector<KernelSample *> inLaunchOrder(const trace::Trace &trace, ReplaySample &sample) {
  std::map<trace::Index, std::size_t> firsts;
  for (std::size_t l = 0; l < trace.launches.size() && firsts.size() < trace.kernels.size(); ++l)
    firsts.emplace(trace.launches[l].kernel, l);
  std::vector<KernelSample *> kernels;
  for (KernelSample &kernel : sample.kernels)
    kernels.push_back(&kernel);
  std::ranges::stable_sort(kernels, {},
                           [&](const KernelSample *kernel) { return firsts[kernel->kernel]; });
  return kernels;
}

void noteMigrations(const trace::Trace &trace, ReplaySample &sample) {
  std::set<std::uint64_t> left; // managed arrays that no kernel has used yet
  for (const trace::Allocation &allocation : trace.allocations)
    if (allocation.isManaged)
      left.insert(allocation.address);
  if (left.empty())
    return;
  for (KernelSample *kernel : inLaunchOrder(trace, sample))
    for (const AccessSet &set : sample.stream.kernels[kernel->kernel].accessSets) {
      const ReplayArray &array = sample.stream.arrays[set.array];
      if (array.group != trace::kNone && left.erase(array.address) != 0)
        kernel->migratedBytes +=
            array.elements * trace.sites.records[trace.sites.groups[array.group].record].bytes;
    }
}

} // namespace

double unsampledPart(const trace::Trace &trace, trace::Index kernel) {
  double all = 0;
  double unsampled = 0;
  for (const trace::SiteCount &row : trace.counts)
    if (row.kernel == kernel) {
      all += static_cast<double>(row.warpAccesses);
      unsampled += row.recorded == 0 ? static_cast<double>(row.warpAccesses) : 0;
    }
  return all == 0 ? 0 : unsampled / all;
}

Result<ReplaySample> collectSample(const trace::Trace &trace, const trace::AccessSource &accesses,
                                   const Machine &machine, const SampleOptions &options) {
  std::vector<WaveStore> stores(trace.kernels.size());
  const std::uint64_t share =
      options.maxBundles / std::max<std::size_t>(trace.kernels.size(), 1) + 1;
  Result<WarpStream> stream =
      forEachWave(trace, accesses, {}, [&](Wave &&wave, const WarpStream &) {
        const trace::Index kernel = wave.kernel;
        stores[kernel].add(std::move(wave), share);
      });
  if (!stream)
    return tl::unexpected(stream.error());

  ReplaySample sample;
  sample.stream = std::move(*stream);
  sample.run = options.run;
  for (trace::Index k = 0; k < stores.size(); ++k)
    if (!stores[k].isEmpty())
      sample.kernels.push_back(
          kernelSample(trace, k, sample.stream, std::move(stores[k]), machine, sample.run));
  noteMigrations(trace, sample);
  return sample;
}

ReplaySample coarser(const trace::Trace &trace, const ReplaySample &sample, const Machine &machine,
                     std::uint64_t maxBundles) {
  ReplaySample result;
  result.stream = sample.stream;
  result.run = sample.run;
  const std::uint64_t share = maxBundles / std::max<std::size_t>(sample.kernels.size(), 1) + 1;
  for (const KernelSample &kernel : sample.kernels) {
    WaveStore store;
    for (const Wave &wave : kernel.waves)
      store.add(Wave(wave), share);
    result.kernels.push_back(
        kernelSample(trace, kernel.kernel, result.stream, std::move(store), machine, result.run));
    result.kernels.back().migratedBytes = kernel.migratedBytes;
  }
  return result;
}

ReplaySample rescaled(const trace::Trace &trace, const ReplaySample &sample, const Machine &machine,
                      const RunScale &run) {
  ReplaySample result = sample;
  result.run = run;
  for (KernelSample &kernel : result.kernels) {
    const KernelStream &sets = result.stream.kernels[kernel.kernel];
    kernel.scale =
        scaleOf(trace, kernel.kernel, result.stream, keptBundles(kernel, sets), machine, run);
  }
  return result;
}

} // namespace relayout::analysis
