// SPDX-License-Identifier: Apache-2.0
// Executor: how long a program runs whole, and when a run that takes too long ends.
#pragma once

#include <atomic>
#include <ctime>
#include <mutex>
#include <string>

namespace relayout::host {

/// Time is that of the thread that launches first, which runs blocks as the others do: processor
/// time, so that what else the machine does is hardly counted; at least a third of what passed.
class RunBudget {
public:
  static RunBudget &instance();

  /// The first launch is about to begin.
  void begin();

  /// Most blocks are left out from now on.
  [[nodiscard]] bool isSparse() const { return isSparse_.load(std::memory_order_relaxed); }
  /// In a sparse run: kernels under comparison leave blocks out, those that a rewrite added run
  /// whole.
  [[nodiscard]] static bool mayLeaveOut(const std::string &kernel);
  /// The time is over: blocks that are recorded end where they are, and the process when what they
  /// recorded is written.
  [[nodiscard]] bool isEnding() const { return isEnding_.load(std::memory_order_relaxed); }
  /// The program is about to crash. Where that may be for want of results, or host code does and
  /// the settings say so, the trace is ended and this does not return. Async-signal-safe.
  void endInsteadOfCrash(int signal, bool isInKernel);

private:
  RunBudget();
  void watch(clockid_t clock);

  std::once_flag begun_;
  std::atomic<bool> isSparse_;
  std::atomic<bool> isEnding_ = false;
  std::atomic<int> crash_ = 0; ///< the signal
  std::atomic<bool> isWatched_ = false;
};

} // namespace relayout::host
