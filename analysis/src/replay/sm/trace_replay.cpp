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

/// Shares waves among SMs and replays one batch of them while the next is decoded.
class TraceReplay {
public:
  TraceReplay(const trace::Trace &trace, const std::vector<const Layout *> &layouts,
              const Machine &machine, unsigned threads)
      : trace_(trace), machine_(machine), threads_(threads), bound_(trace.sites, layouts),
        sms_(trace.kernels.size()), nextSm_(trace.kernels.size()) {}

  void take(Wave &&wave, const WarpStream &stream) {
    if (failure_)
      return;
    std::vector<SmReplay> &sms = sms_[wave.kernel];
    if (sms.empty()) {
      const Residency resident = residency(trace_.launches[wave.launch],
                                           registersOf(trace_, stream.code, wave.kernel), machine_);
      for (std::size_t i = 0; i < kReplaySms; ++i)
        sms.emplace_back(machine_, resident.l1Bytes, resident.blocks);
    }
    const std::size_t sm = nextSm_[wave.kernel]++ % kReplaySms;
    batch_.push_back({std::move(wave), sm});
    if (batch_.size() == 2 * kReplaySms)
      replayBatch(stream);
  }

  /// \param stream  null where it could not be decoded to its end
  Result<std::vector<KernelCounts>> finish(const WarpStream *stream) {
    if (stream && !failure_ && !batch_.empty())
      replayBatch(*stream);
    if (replaying_.valid())
      replaying_.get();
    if (failure_)
      return tl::unexpected(*failure_);
    std::vector<KernelCounts> counts(sms_.size());
    for (std::size_t k = 0; k < sms_.size(); ++k)
      for (const SmReplay &sm : sms_[k])
        counts[k] += sm.counts();
    return counts;
  }

private:
  struct Job {
    Wave wave;
    std::size_t sm = 0;
  };

  void replayBatch(const WarpStream &stream) {
    if (replaying_.valid())
      replaying_.get();
    if (const Result<void> covered = bound_.cover(stream); !covered) {
      failure_ = covered.error();
      return;
    }
    for (const Job &job : batch_)
      sms_[job.wave.kernel][job.sm].prepare(job.wave.kernel, stream, bound_, trace_.sites);
    running_ = std::move(batch_);
    batch_.clear();
    replaying_ = std::async(threads_ == 1 ? std::launch::deferred : std::launch::async, [this] {
      // Each SM takes its waves in order; different SMs have nothing in common.
      runParallel(kReplaySms, threads_, [this](std::size_t sm) {
        for (const Job &job : running_)
          if (job.sm == sm)
            sms_[job.wave.kernel][sm].replay(job.wave, bound_);
      });
    });
  }

  const trace::Trace &trace_;
  const Machine &machine_;
  unsigned threads_;
  BoundLayouts bound_;
  std::vector<std::vector<SmReplay>> sms_; ///< by kernel
  std::vector<std::size_t> nextSm_;        ///< by kernel
  std::optional<Error> failure_;
  std::vector<Job> batch_;
  std::vector<Job> running_;
  std::future<void> replaying_; ///< last: it uses the members above until it is joined
};

} // namespace

Result<std::vector<KernelCounts>> replayTrace(const trace::Trace &trace,
                                              const trace::AccessSource &accesses,
                                              const std::vector<const Layout *> &layouts,
                                              const Machine &machine, unsigned threads) {
  TraceReplay replay(trace, layouts, machine, threads);
  const Result<WarpStream> stream = forEachWave(
      trace, accesses, {.maxWaveBytes = kBatchWaveBytes},
      [&replay](Wave &&wave, const WarpStream &decoded) { replay.take(std::move(wave), decoded); });
  Result<std::vector<KernelCounts>> counts = replay.finish(stream ? &*stream : nullptr);
  if (!stream)
    return tl::unexpected(stream.error());
  return counts;
}

} // namespace relayout::analysis
