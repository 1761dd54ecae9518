// SPDX-License-Identifier: Apache-2.0
// Decodes a trace and replays it on several SMs at once.
#include "relayout/analysis/replay/sm/trace_replay.h"

#include "relayout/base/run_parallel.h"
#include "replay/stream/residency.h"

#include <future>
#include <optional>
#include <utility>

namespace relayout::analysis {
namespace {

/// SMs that replayTrace shares the waves of a kernel among, whatever the threads.
constexpr std::size_t kReplaySms = 4;

/// Two batches of 2 * kReplaySms waves are in memory at a time.
constexpr std::uint64_t kBatchWaveBytes = 8ull << 20;

} // namespace

Result<std::vector<KernelCounts>> replayTrace(const trace::Trace &trace,
                                              const trace::AccessSource &accesses,
                                              const std::vector<const Layout *> &layouts,
                                              const Machine &machine, unsigned threads) {
  BoundLayouts bound(trace.sites, layouts);
  std::vector<std::vector<SmReplay>> sms(trace.kernels.size());
  std::vector<std::size_t> nextSm(trace.kernels.size());
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
      const Residency resident =
          residency(trace, stream.code, trace.launches[wave.launch], machine);
      for (std::size_t i = 0; i < kReplaySms; ++i)
        ofKernel.emplace_back(machine, resident.l1Bytes, resident.blocks);
    }
    const std::size_t sm = nextSm[wave.kernel]++ % kReplaySms;
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
      counts[k] += sm.counts();
  return counts;
}

} // namespace relayout::analysis
