// SPDX-License-Identifier: Apache-2.0
// Keeps a bounded sample of the warp stream, and replays streams on several threads.
#include "relayout/analysis/replay/stream/sample.h"

#include "replay/stream/arithmetic.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <future>
#include <optional>
#include <thread>

namespace relayout::analysis {
namespace {

/// Shared memory that the runtime itself takes of each block.
constexpr std::uint64_t kReservedSharedBytes = 1024;

/// SMs that replayTrace shares the waves of a kernel among, whatever the threads.
constexpr std::size_t kReplaySms = 4;

/// Two batches of 2 * kReplaySms waves are in memory at a time.
constexpr std::uint64_t kBatchWaveBytes = 8ull << 20;

/// Registers of an SM since compute capability 3.5, and how many of a thread are given at once.
constexpr std::uint64_t kRegistersOfAnSm = 65536;
constexpr std::uint64_t kRegistersAtOnce = 8;

/// What an SM sets aside of L1 as shared memory: the least that all resident blocks need.
/// \source CUDA's programming guide, compute capability 9.0; measured: of the 2048 lines of an
/// H100,
///         1792 are left to a kernel of 32 blocks without shared memory, 1536 to one with some
constexpr std::array<std::uint64_t, 10> kSharedSizes{0,         8 << 10,   16 << 10,  32 << 10,
                                                     64 << 10,  100 << 10, 132 << 10, 164 << 10,
                                                     196 << 10, 228 << 10};

struct Residency {
  std::uint32_t blocks = 1;
  std::uint64_t l1Bytes = 0;
};

/// Of a thread, as the source lets expect; 0: not known.
std::uint32_t registersOf(const trace::Trace &trace, trace::Index kernel) {
  const auto row =
      std::ranges::find(trace.sites.kernels, trace.kernels[kernel], &trace::Kernel::name);
  return row == trace.sites.kernels.end() ? 0 : row->registers;
}

/// Blocks that share an SM, as far as threads, shared memory and registers tell.
Residency residency(const trace::Trace &trace, const trace::Launch &launch,
                    const Machine &machine) {
  const std::uint64_t threads = std::max<std::uint64_t>(
      std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2], 1);
  const std::uint64_t perBlock = launch.sharedBytes + kReservedSharedBytes;
  std::uint64_t blocks = std::min<std::uint64_t>(
      machine.blocksPerSm, std::max<std::uint64_t>(machine.threadsPerSm / threads, 1));
  blocks = std::clamp<std::uint64_t>(machine.l1Bytes / perBlock, 1, blocks);
  if (const std::uint64_t registers = registersOf(trace, launch.kernel); registers != 0) {
    const std::uint64_t ofThread =
        (registers + kRegistersAtOnce - 1) / kRegistersAtOnce * kRegistersAtOnce;
    const std::uint64_t ofBlock = (threads + 31) / 32 * 32 * ofThread;
    blocks = std::clamp<std::uint64_t>(kRegistersOfAnSm / ofBlock, 1, blocks);
  }
  const auto *shared = std::ranges::lower_bound(kSharedSizes, perBlock * blocks);
  return {static_cast<std::uint32_t>(blocks),
          machine.l1Bytes -
              std::min(shared == std::end(kSharedSizes) ? kSharedSizes.back() : *shared,
                       machine.l1Bytes * 7 / 8)};
}

std::uint64_t bundlesOf(const Wave &wave) {
  std::uint64_t bundles = 0;
  for (const WarpRun &run : wave.warps)
    bundles += run.bundles.size();
  return bundles;
}

/// Takes bundles out of the middle of long warps so that about `most` are left: what a warp does at
/// its end, it often does nowhere else.
void shorten(Wave &wave, std::uint64_t most) {
  std::uint64_t longest = 0;
  for (const WarpRun &run : wave.warps)
    longest = std::max<std::uint64_t>(longest, run.bundles.size());
  std::uint64_t low = 1;
  std::uint64_t high = longest;
  while (low < high) { // the longest cut that fits
    const std::uint64_t cut = low + (high - low + 1) / 2;
    std::uint64_t bundles = 0;
    for (const WarpRun &run : wave.warps)
      bundles += std::min<std::uint64_t>(run.bundles.size(), cut);
    if (bundles <= most)
      low = cut;
    else
      high = cut - 1;
  }
  Wave kept;
  kept.kernel = wave.kernel;
  kept.launch = wave.launch;
  kept.warpAccesses = wave.warpAccesses;
  for (const WarpRun &run : wave.warps) {
    WarpRun &copy = kept.warps.emplace_back(WarpRun{run.block, run.warp, {}});
    for (std::size_t i = 0; i < run.bundles.size(); ++i) {
      if (run.bundles.size() > low && i >= low - low / 8 && i + low / 8 < run.bundles.size())
        continue;
      Bundle &bundle = copy.bundles.emplace_back(run.bundles[i]);
      if (bundle.pattern.offsets != LanePattern::kAffine) {
        kept.offsets.push_back(wave.offsets[bundle.pattern.offsets]);
        bundle.pattern.offsets = static_cast<std::uint32_t>(kept.offsets.size() - 1);
      }
    }
  }
  wave = std::move(kept);
}

/// Waves of one kernel; when there are too many, every second one goes.
class WaveStore {
public:
  void add(Wave &&wave, std::uint64_t share) {
    if (seen_++ % stride_ != 0)
      return;
    if (bundlesOf(wave) > share / 2)
      shorten(wave, share / 2);
    bundles_ += bundlesOf(wave);
    waves_.push_back(std::move(wave));
    while (bundles_ > share && waves_.size() > 1) {
      std::vector<Wave> kept;
      bundles_ = 0;
      for (std::size_t i = 0; i < waves_.size(); i += 2) {
        bundles_ += bundlesOf(waves_[i]);
        kept.push_back(std::move(waves_[i]));
      }
      waves_ = std::move(kept);
      stride_ *= 2;
    }
  }
  std::vector<Wave> waves_;
  std::uint64_t bundles_ = 0;

private:
  std::uint64_t seen_ = 0;
  std::uint64_t stride_ = 1;
};

KernelScale scaleOf(const trace::Trace &trace, trace::Index kernel, const KernelStream &stream,
                    const std::vector<std::uint64_t> &kept, const Machine &machine,
                    const RunScale &run) {
  KernelScale scale;
  scale.elements = run.elements;
  double blocks = 0;
  std::uint64_t listed = 0;
  for (const trace::Launch &launch : trace.launches) {
    if (launch.kernel != kernel)
      continue;
    ++listed;
    blocks += static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
    if (listed != 1)
      continue;
    const Residency resident = residency(trace, launch, machine);
    scale.residentBlocks = resident.blocks;
    scale.threadsPerBlock = launch.block[0] * launch.block[1] * launch.block[2];
    scale.l1Bytes = resident.l1Bytes;
  }
  // Launches beyond the listed ones are taken to be spread over the kernels as the listed ones.
  if (!trace.launches.empty())
    scale.launches = run.launches * static_cast<double>(listed) *
                     static_cast<double>(std::max<std::uint64_t>(trace.launchesExecuted, 1)) /
                     static_cast<double>(trace.launches.size());
  scale.blocksPerLaunch = listed == 0 ? 0 : run.elements * blocks / static_cast<double>(listed);

  scale.arithmetic = run.elements * run.launches * arithmeticOf(trace, kernel);

  std::map<std::uint32_t, double> executed;
  for (const trace::SiteCount &row : trace.counts)
    if (row.kernel == kernel)
      if (const auto site = trace::findSite(trace.sites, row.site))
        executed[*site] = static_cast<double>(row.warpAccesses);
  for (std::size_t s = 0; s < stream.accessSets.size(); ++s) {
    double all = 0;
    double recorded = 0;
    for (const std::uint32_t site : stream.accessSets[s].sites) {
      const auto found = stream.recorded.find(site);
      recorded += found == stream.recorded.end() ? 0 : static_cast<double>(found->second);
      all += executed[site];
    }
    const double keptBundles = s < kept.size() ? static_cast<double>(kept[s]) : 0;
    scale.bySet.push_back(recorded == 0 || keptBundles == 0
                              ? 0
                              : run.elements * run.launches * all / recorded *
                                    static_cast<double>(stream.bundles[s]) / keptBundles);
  }
  return scale;
}

KernelSample kernelSample(const trace::Trace &trace, trace::Index index, const WarpStream &stream,
                          WaveStore store, const Machine &machine, const RunScale &run) {
  KernelSample kernel;
  kernel.kernel = index;
  kernel.waves = std::move(store.waves_);
  kernel.bundles = store.bundles_;
  kernel.unseen = unseenPart(trace, index);
  const KernelStream &sets = stream.kernels[index];
  std::vector<std::uint64_t> kept(sets.accessSets.size());
  for (const Wave &wave : kernel.waves)
    for (const WarpRun &warp : wave.warps)
      for (const Bundle &bundle : warp.bundles)
        ++kept[bundle.accessSet];
  kernel.scale = scaleOf(trace, index, sets, kept, machine, run);
  kernel.usesGroup.resize(trace.sites.groups.size());
  for (const AccessSet &set : sets.accessSets)
    if (const trace::Index group = stream.arrays[set.array].group; group != trace::kNone)
      kernel.usesGroup[group] = true;
  return kernel;
}

} // namespace

double unseenPart(const trace::Trace &trace, trace::Index kernel) {
  double all = 0;
  double unseen = 0;
  for (const trace::SiteCount &row : trace.counts)
    if (row.kernel == kernel) {
      all += static_cast<double>(row.warpAccesses);
      unseen += row.recorded == 0 ? static_cast<double>(row.warpAccesses) : 0;
    }
  return all == 0 ? 0 : unseen / all;
}

void runParallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)> &job) {
  if (threads == 0)
    threads = std::max(std::thread::hardware_concurrency(), 1u);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++)
      job(i);
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i)
    workers.emplace_back(work);
  work();
}

Result<ReplaySample> collectSample(const trace::Trace &trace, const AccessSource &accesses,
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
    if (!stores[k].waves_.empty())
      sample.kernels.push_back(
          kernelSample(trace, k, sample.stream, std::move(stores[k]), machine, sample.run));
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
  }
  return result;
}

Result<KernelEvaluation> evaluateKernel(const trace::Trace &trace, const ReplaySample &sample,
                                        const KernelSample &kernel,
                                        const std::vector<const Layout *> &layouts,
                                        const Machine &machine, double otherNs) {
  BoundLayouts bound(trace.sites, layouts);
  if (const Result<void> covered = bound.cover(sample.stream); !covered)
    return tl::unexpected(covered.error());
  SmReplay sm(machine, kernel.scale.l1Bytes,
              static_cast<std::uint32_t>(kernel.scale.blocksOfAnSm(machine)));
  sm.prepare(kernel.kernel, sample.stream, bound, trace.sites);
  for (const Wave &wave : kernel.waves)
    sm.replay(wave, bound);
  KernelEvaluation evaluation;
  evaluation.counts = sm.counts();
  const auto timed = [&](double launchNs) {
    evaluation.volume = scaleUp(evaluation.counts, kernel.scale, machine, launchNs);
    evaluation.time = timeOf(evaluation.volume, kernel.scale, machine, otherNs);
  };
  timed(0);
  if (kernel.scale.launches > 0)
    timed((evaluation.time.totalNs - evaluation.time.launchNs) / kernel.scale.launches);
  return evaluation;
}

Result<std::vector<KernelCounts>> replayTrace(const trace::Trace &trace,
                                              const AccessSource &accesses,
                                              const std::vector<const Layout *> &layouts,
                                              const Machine &machine, unsigned threads) {
  BoundLayouts bound(trace.sites, layouts);
  std::vector<std::vector<SmReplay>> sms(trace.kernels.size());
  std::vector<std::size_t> turn(trace.kernels.size());
  std::optional<Error> failure;
  struct Job {
    Wave wave;
    std::size_t sm = 0;
  };
  std::vector<Job> batch;
  std::vector<Job> running;
  std::future<void> replaying;
  // One batch is replayed while the next is decoded.
  const auto replayBatch = [&](const WarpStream &stream) {
    if (replaying.valid())
      replaying.get();
    if (const Result<void> covered = bound.cover(stream); !covered) {
      failure = covered.error();
      return;
    }
    for (const Job &job : batch)
      sms[job.wave.kernel][job.sm].prepare(job.wave.kernel, stream, bound, trace.sites);
    running = std::move(batch);
    batch.clear();
    replaying = std::async(threads == 1 ? std::launch::deferred : std::launch::async, [&] {
      // Each SM takes its waves in order; different SMs have nothing in common.
      runParallel(kReplaySms, threads, [&](std::size_t sm) {
        for (const Job &job : running)
          if (job.sm == sm)
            sms[job.wave.kernel][sm].replay(job.wave, bound);
      });
    });
  };
  const auto take = [&](Wave &&wave, const WarpStream &stream) {
    if (failure)
      return;
    std::vector<SmReplay> &ofKernel = sms[wave.kernel];
    if (ofKernel.empty()) {
      const Residency resident = residency(trace, trace.launches[wave.launch], machine);
      for (std::size_t i = 0; i < kReplaySms; ++i)
        ofKernel.emplace_back(machine, resident.l1Bytes, resident.blocks);
    }
    const std::size_t sm = turn[wave.kernel]++ % kReplaySms;
    batch.push_back({std::move(wave), sm});
    if (batch.size() == 2 * kReplaySms)
      replayBatch(stream);
  };
  const Result<WarpStream> stream =
      forEachWave(trace, accesses, {.maxWaveBytes = kBatchWaveBytes}, take);
  if (stream && !failure && !batch.empty())
    replayBatch(*stream);
  if (replaying.valid())
    replaying.get();
  if (!stream)
    return tl::unexpected(stream.error());
  if (failure)
    return tl::unexpected(*failure);
  std::vector<KernelCounts> counts(sms.size());
  for (std::size_t k = 0; k < sms.size(); ++k)
    for (const SmReplay &sm : sms[k])
      accumulate(counts[k], sm.counts());
  return counts;
}

} // namespace relayout::analysis
