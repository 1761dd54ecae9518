// SPDX-License-Identifier: Apache-2.0
// Hardware truth: what each machine instruction of the program did, from CUPTI's SASS metrics.
// CUPTI patches the code of kernels; the counts are exact, the times are not to be looked at.
#pragma once

#include "cupti_calls.h"
#include "relayout/gpu/counter_report.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace relayout::gpu {

/// The code that the process has loaded, for the lines its instructions were made from.
class LoadedCode {
public:
  explicit LoadedCode(const CuptiCalls &calls) : calls_(calls) {}
  /// Keeps a copy: CUPTI shows the code only while it is being loaded.
  void add(const char *cubin, std::size_t bytes);
  [[nodiscard]] std::optional<LinePlace> lineOf(const CountedInstruction &instruction) const;

private:
  const CuptiCalls &calls_;
  std::unordered_map<std::uint32_t, std::string> cubins_; ///< by checksum
};

/// Of the process: counts all kernels of the contexts in which it was begun.
class SassCounters {
public:
  explicit SassCounters(const CuptiCalls &calls) : calls_(calls) {}

  /// Before the context's first launch and before its first graph is instantiated, with the context
  /// current: CUPTI 13.0 loses the first launch of a graph that was instantiated before. And while
  /// all of the resource domain's callbacks are enabled: else CUPTI 13.0 patches one kernel alone.
  /// \param report  is told of the metrics that this GPU lacks; the others are counted
  /// \returns whether the context's launches are counted from here on; else `why` is the reason
  [[nodiscard]] bool begin(CUcontext context, CounterReport &report, std::string &why);
  [[nodiscard]] bool isCounting(CUcontext context) const { return contexts_.contains(context); }
  [[nodiscard]] const std::set<CUcontext> &contexts() const { return contexts_; }

  /// After its last launch; waits for its end.
  /// \returns a row each instruction and metric; empty, and in `why` the reason
  [[nodiscard]] std::vector<CountedInstruction> end(CUcontext context, std::string &why);

private:
  bool configure(CUdevice device, CounterReport &report, std::string &why);
  [[nodiscard]] std::vector<CountedInstruction> take(CUcontext context, std::string &why);
  bool succeeds(CUptiResult status, const char *step, std::string &why) const;

  const CuptiCalls &calls_;
  /// Those with a context that was counted. CUPTI 13.0 configures a device once: the next time it
  /// is out of memory, and what it patches by the old configuration uses memory that is gone.
  std::set<CUdevice> devices_;
  std::set<CUcontext> contexts_;
  std::unordered_map<std::uint64_t, const char *> metrics_; ///< by CUPTI's number
};

} // namespace relayout::gpu
