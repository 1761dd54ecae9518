// SPDX-License-Identifier: Apache-2.0
// Hardware truth: counters of single launches, from CUPTI's range profiler. A launch is replayed as
// often as its counters need passes; CUPTI puts memory back in between.
#pragma once

#include "cupti_calls.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace relayout::gpu {

class CounterReport;

/// Of one context.
class RangeProfiler {
public:
  /// \param report  is told of the counters that this GPU lacks; the others are counted
  /// \returns null, and in `why` the reason
  static std::unique_ptr<RangeProfiler> create(const CuptiCalls &calls, CUcontext context,
                                               CounterReport &report, std::string &why);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler &) = delete;
  RangeProfiler &operator=(const RangeProfiler &) = delete;

  /// Right before a launch, from the callback that announces it.
  [[nodiscard]] bool begin(std::string &why);
  /// Right after it. \returns the counters by name; empty, and in `why` the reason
  [[nodiscard]] std::map<std::string, std::uint64_t> end(std::string &why);

private:
  explicit RangeProfiler(const CuptiCalls &calls) : calls_(calls) {}
  bool chooseMetrics(CUcontext context, CounterReport &report, std::string &why);
  bool configure(CUcontext context, std::string &why);
  bool clearCounters(std::string &why);
  bool succeeds(CUptiResult status, const char *step, std::string &why) const;

  const CuptiCalls &calls_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  CUpti_Profiler_Host_Object *host_ = nullptr;
  CUpti_RangeProfiler_Object *profiler_ = nullptr;
  std::vector<const char *> metrics_;
  std::vector<std::uint8_t> config_, counters_;
};

} // namespace relayout::gpu
