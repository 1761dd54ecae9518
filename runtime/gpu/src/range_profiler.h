// SPDX-License-Identifier: Apache-2.0
// Hardware truth: counters of single launches and of whole graphs, from CUPTI's range profiler. A
// launch is replayed as often as its counters need passes; CUPTI puts memory back in between.
#pragma once

#include "cupti_calls.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace relayout::gpu {

class CounterReport;

/// Of one context.
class RangeProfiler {
public:
  enum class Counts { Launches, Graphs }; ///< CUPTI changes from one to the other in no context

  /// \param metrics  names that last as long as the process
  /// \param report   is told of the counters that this GPU lacks; the others are counted
  /// \returns null, and in `why` the reason
  static std::unique_ptr<RangeProfiler> create(const CuptiCalls &calls, CUcontext context,
                                               Counts counts, std::span<const char *const> metrics,
                                               CounterReport &report, std::string &why);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler &) = delete;
  RangeProfiler &operator=(const RangeProfiler &) = delete;

  /// Right before a launch, from the callback that announces it.
  [[nodiscard]] bool begin(std::string &why);
  /// Right after it. \returns the counters by name; empty, and in `why` the reason
  [[nodiscard]] std::map<std::string, std::uint64_t> end(std::string &why);

  /// Counters of one launch of a graph, put together from several: CUPTI replays no graph, so each
  /// launch takes one pass.
  struct GraphCounters {
    bool isWhole = false; ///< every pass has been made
    std::map<std::string, std::uint64_t> counters;
  };
  /// Right before the launch of a graph that is not whole. The context waits for all work before,
  /// and in endGraph() for the graph.
  /// \param key  GraphContents::key
  [[nodiscard]] bool beginGraph(const std::string &key, std::string &why);
  /// Right after it. \returns what all passes so far have told
  [[nodiscard]] GraphCounters endGraph(const std::string &key, std::string &why);

private:
  /// CUPTI's buffer for the values of ranges, and which pass fills it next.
  struct Image {
    std::vector<std::uint8_t> bytes;
    std::size_t pass = 0;
    std::uint16_t nestingLevel = 1;
  };

  RangeProfiler(const CuptiCalls &calls, Counts counts) : calls_(calls), counts_(counts) {}
  bool chooseMetrics(CUcontext context, std::span<const char *const> metrics, CounterReport &report,
                     std::string &why);
  /// \returns null, and in `why` the reason, when not all of them can be counted
  CUpti_Profiler_Host_Object *hostOf(std::span<const char *const> metrics, std::string &why) const;
  void forget(CUpti_Profiler_Host_Object *host) const;
  bool configure(CUcontext context, std::string &why);
  bool makeImage(Image &image, std::string &why);
  bool clear(Image &image, std::string &why);
  /// Says where the next range goes.
  bool select(Image &image, std::string &why);
  bool start(std::string &why);
  /// \param isWhole  out: no pass is missing
  bool stop(Image &image, bool &isWhole, std::string &why);
  /// What `image` holds of the one range in it; metrics of passes to come are left out.
  [[nodiscard]] std::map<std::string, std::uint64_t> evaluate(Image &image, std::string &why);
  bool succeeds(CUptiResult status, const char *step, std::string &why) const;

  const CuptiCalls &calls_;
  const Counts counts_;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
  CUpti_Profiler_Host_Object *host_ = nullptr;
  CUpti_RangeProfiler_Object *profiler_ = nullptr;
  std::vector<const char *> metrics_;
  std::vector<std::uint8_t> config_;
  Image launch_;
  std::map<std::string, Image> graphs_; ///< by key
};

} // namespace relayout::gpu
