// SPDX-License-Identifier: Apache-2.0
// Executor: the trace this process writes, if it was asked for one.
#pragma once

#include "block_recording.h"
#include "settings.h"

#include "relayout/host/launch.h"
#include "relayout/trace/writer.h"

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <sys/types.h>
#include <tuple>
#include <vector>

namespace relayout::host {

/// How much of one launch is recorded, decided before it starts and from its place in the
/// program alone, so that it does not depend on who runs which block.
struct LaunchSampling {
  std::uint32_t kernel = 0;
  std::uint32_t launch = 0;
  std::uint64_t stride = 0; ///< every stride-th block is sampled; 0: none
  std::uint64_t phase = 0;  ///< the first one
  std::uint64_t blocks = 0;
  std::uint64_t warpWords = 0; ///< most words of records a warp; 0: none is kept
  bool mayLeaveOut = false;    ///< blocks that are not sampled are not run once the run is sparse
  bool isSparse = false;       ///< the run is, as the launch begins

  /// A sparse run leaves out most launches of a kernel that is launched often.
  [[nodiscard]] bool isLeftOut() const { return isSparse && stride == 0; }
  [[nodiscard]] std::uint64_t sampledBlocks() const {
    return stride == 0 ? 0 : (blocks - phase + stride - 1) / stride;
  }
  [[nodiscard]] bool samples(std::uint64_t block) const {
    return stride != 0 && block % stride == phase;
  }
};

class TraceSession {
public:
  /// The process's session; null when no trace was asked for, or it cannot be written.
  static TraceSession *instance();

  /// The program has probes, and this is what their numbers mean.
  void registerSites(const char *siteTableJson);
  [[nodiscard]] bool hasProbes() const { return hasProbes_; }

  LaunchSampling beginLaunch(const detail::KernelCall &call, std::uint64_t blocks);

  // For each sampled block, in any order and from any worker: records are written in block order.
  /// Words of records still to be had; waits while too many blocks are ahead of a slow one.
  std::uint64_t beginSampledBlock(std::uint64_t block);
  void endSampledBlock(const LaunchSampling &sampling, std::uint64_t block, BlockRecords records);

  /// \param blocksRun  where blocks were left out, those that ran stand for all of them
  void endLaunch(const LaunchSampling &sampling, std::uint64_t blocksRun, KernelCounters counters);

  void allocation(const trace::Allocation &allocation);
  void copy(const trace::CopyDigest &digest);
  /// One more copy; `transfer` has one.
  void transfer(const trace::HostTransfer &transfer);

  /// Writes the end of the trace. Once; what happens later is not in it.
  void close();

  /// Writes the end of the trace, as of a run that was ended, and ends the process; in a child of
  /// it does nothing.
  void endEarly();

  /// Writes the end of the trace and ends the process with 128 and the signal's number.
  void endAtCrash(int signal);

private:
  /// What was counted in a kernel's last launch that was not left out.
  struct Estimate {
    std::uint64_t blocks = 0; ///< that ran
    KernelCounters counters;
  };

  explicit TraceSession(trace::Writer writer);

  void writeEnd(const char *machineKind);
  /// Of host threads but the first, in an order that does not depend on which was faster.
  void writeCopiesOfOthers();

  void sample(LaunchSampling &sampling, const detail::KernelCall &call, std::uint64_t launch,
              std::uint64_t repeats);
  void writeRecords(const LaunchSampling &sampling, std::uint64_t block,
                    const BlockRecords &records);

  trace::Writer writer_;
  pid_t process_;
  std::mutex mutex_;
  std::condition_variable flushed_;
  bool hasProbes_ = false;
  bool closed_ = false;

  std::vector<std::string> kernels_;
  std::map<std::string, std::uint32_t> kernelIndex_;
  std::vector<std::uint64_t> kernelLaunches_;
  std::vector<KernelCounters> counters_;
  std::vector<Estimate> estimates_; ///< by kernel
  /// By allocation, direction and place.
  std::map<std::tuple<std::uint64_t, bool, std::string>, trace::HostTransfer> transfers_;
  std::map<std::uint64_t, std::vector<trace::CopyDigest>> copiesOfOthers_; ///< by thread
  std::uint64_t launches_ = 0;
  std::uint64_t blocksExecuted_ = 0;
  std::uint64_t blocksSampled_ = 0;

  std::uint64_t wordsLeft_ = 0;
  std::uint64_t wordsWaiting_ = 0;
  std::uint64_t nextBlock_ = 0;
  std::map<std::uint64_t, BlockRecords> waiting_;
};

} // namespace relayout::host
