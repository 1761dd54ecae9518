// SPDX-License-Identifier: Apache-2.0
// Hardware truth: what each machine instruction of the program did, from CUPTI's SASS metrics.
// CUPTI patches the code of kernels; the counts are exact, the times are not to be looked at.
#pragma once

#include "cupti_calls.h"
#include "relayout/gpu/counter_report.h"

#include <cstdint>
#include <memory>
#include <optional>
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

/// Of one context, and of the one kernel that is launched next.
class SassCounters {
public:
  /// \param report  is told of the metrics that this GPU lacks; the others are counted
  /// \returns null, and in `why` the reason
  static std::unique_ptr<SassCounters> create(const CuptiCalls &calls, CUcontext context,
                                              CounterReport &report, std::string &why);
  ~SassCounters();
  SassCounters(const SassCounters &) = delete;
  SassCounters &operator=(const SassCounters &) = delete;

  /// Right before its first launch, from the callback that announces it; waits for the kernels
  /// before.
  [[nodiscard]] bool begin(std::string &why);
  /// After its last one; waits for its end. The context is current.
  /// \returns a row each instruction and metric; empty, and in `why` the reason
  [[nodiscard]] std::vector<CountedInstruction> end(std::string &why);

private:
  SassCounters(const CuptiCalls &calls, CUcontext context) : calls_(calls), context_(context) {}
  [[nodiscard]] std::vector<CountedInstruction> take(std::string &why);
  void unpatch();

  const CuptiCalls &calls_;
  CUcontext context_;
  CUdevice device_ = 0;
  bool isConfigured_ = false, isEnabled_ = false;
  std::unordered_map<std::uint64_t, const char *> metrics_; ///< by CUPTI's number
};

} // namespace relayout::gpu
