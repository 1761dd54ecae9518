// SPDX-License-Identifier: Apache-2.0
// Policy replay as a whole: a trace and a machine in, a plan and the numbers behind it out.
#pragma once

#include "relayout/analysis/plan/plan.h"
#include "relayout/analysis/replay/cost/evaluation.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace relayout::analysis {

struct ReplayOptions {
  SampleOptions sample; ///< its RunScale is set from what follows
  /// See RunScale; without a value as in runScale().
  std::optional<double> elements;
  std::optional<double> launches;
  /// Bundles that a search may replay, over all candidates of one group: bounds its time.
  std::uint64_t searchBundles = 60'000'000;
  /// Whether tiled layouts are tried; a caller that cannot carry them out says no.
  bool tiles = true;
  /// Durations of all launches of a kernel in nanoseconds, by name, where a GPU measured them.
  std::map<std::string, double> measuredNs;
  /// Told what is being done: the group's record, candidates tried so far. From one thread.
  std::function<void(const std::string &record, std::uint64_t candidates)> progress;
};

/// A layout of one group, and what the kernels that use the group take with it.
struct Candidate {
  Layout layout;
  bool isSource = false; ///< the record as it is
  double kernelNs = 0;
  double otherNs = 0;      ///< of these, what stays in every layout; see KernelTime::otherNs
  double conversionNs = 0; ///< at host copies
  double memoryNs = 0;     ///< what L1, L2 and DRAM would take one after the other
  /// Of the kernels' time against the source's, as a part of it; see ratioError().
  double error = 0;

  [[nodiscard]] double totalNs() const { return kernelNs + conversionNs; }
};

/// One kernel before and after the decisions.
struct KernelOutcome {
  trace::Index kernel = trace::kNone; ///< into Trace::kernels
  KernelEvaluation before;
  KernelEvaluation after;
  KernelEvaluation runnerUp; ///< with the group's runner-up
  double otherNs = 0;        ///< see KernelTime::otherNs
};

struct GroupReplay {
  trace::Index group = trace::kNone;
  std::vector<Candidate> candidates; ///< every one that was tried, best first
  Candidate source;
  /// Whether it was chosen or not: the simplest of those that the model cannot tell from the
  /// fastest.
  Candidate best;
  Candidate runnerUp;
  std::uint64_t convertedBytes = 0; ///< at all host copies together
  std::vector<KernelOutcome> kernels;
  Decision decision;
};

/// The run to decide for where nobody says: the traced one of a GPU; of a CPU, where people trace
/// small sizes, arrays of 64 times L2 and a hundred launches of the busiest kernel.
[[nodiscard]] RunScale runScale(const trace::Trace &trace, const Machine &machine,
                                const ReplayOptions &options);

struct ReplayAnalysis {
  trace::Trace trace;
  Machine machine;
  ReplaySample sample;
  std::vector<GroupReplay> groups;
  Plan plan;
};

/// Searches a layout for every array group; the largest groups first, the others as they are or as
/// already decided.
/// \error RL-A01 no kernel executed an access to a record; RL-A02 not one address was recorded;
///        RL-T04 the trace is incomplete; and whatever the source reports
[[nodiscard]] Result<ReplayAnalysis> analyzeReplay(trace::Trace trace, const AccessSource &accesses,
                                                   const Machine &machine,
                                                   const ReplayOptions &options = {});

/// The same, of a trace file; with the measured durations that stand in its report, FILE.gpu.json,
/// where none are given.
[[nodiscard]] Result<ReplayAnalysis> analyzeReplay(const std::string &traceFile,
                                                   const Machine &machine,
                                                   const ReplayOptions &options = {});

} // namespace relayout::analysis
