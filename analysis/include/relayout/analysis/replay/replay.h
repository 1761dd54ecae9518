// SPDX-License-Identifier: Apache-2.0
// Policy replay as a whole: a trace and a machine in, a layout for every array group out.
#pragma once

#include "relayout/analysis/replay/search/candidate.h"
#include "relayout/analysis/replay/search/compiled_version.h"
#include "relayout/analysis/replay/stream/growth.h"
#include "relayout/analysis/replay/stream/run_scale.h"
#include "relayout/trace/trace_handle.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace relayout::analysis {

struct ReplayOptions {
  std::uint64_t maxBundles = 250'000; ///< of the trace that are kept in memory
  unsigned threads = 0;               ///< 0: as many as the machine has
  AskedScale scale;                   ///< of the run to decide for
  /// The program with other arguments: a layout has to gain by that run's measure as well, when it
  /// is extrapolated to the same size.
  std::optional<trace::TraceHandle> otherRun;
  /// Bundles that a search may replay, over all candidates of one group: bounds its time.
  std::uint64_t searchBundles = 60'000'000;
  /// Whether tiled layouts are tried; a caller that cannot apply them says no.
  bool tiles = true;
  /// Groups in whose layouts no array member is exploded, because the program uses one whole.
  std::set<trace::Index> wholeArrays;
  /// Durations of all launches of a kernel in nanoseconds, by name, where a GPU measured them;
  /// where none are given, those in the report beside a GPU's trace file.
  std::map<std::string, double> measuredNs;
  /// The finalists of an earlier decision on the same trace, of which the best is taken. Null: a
  /// search.
  const CompiledFinalists *compiled = nullptr;
  /// Called with the group's record and the number of candidates tried so far. From one thread.
  std::function<void(const std::string &record, std::uint64_t candidates)> progress;
};

/// The run with other arguments, beside which another one was decided for.
struct UsedRun {
  std::string command;
  RunScale run;
  std::optional<GrowthLaw> law; ///< none: the two are of one size
};

/// Data alone; report/ renders it.
struct ReplayAnalysis {
  trace::TraceHandle trace; ///< the indices here point into it
  Machine machine;
  ReplaySample sample; ///< of the run that is decided for
  std::vector<GroupReplay> groups;
  std::optional<UsedRun> otherRun;
  std::vector<CompiledVersion> compiled; ///< whose registers were known; empty: they are estimates
};

/// Searches a layout for every array group; the largest groups first, the others as declared or as
/// already decided.
/// \error RL-A01 no kernel executed an access to a record; RL-A02 not one address was recorded;
///        RL-T04 the trace is incomplete; RL-T11 the other run is of another program; and whatever
///        the source reports
[[nodiscard]] Result<ReplayAnalysis> analyzeReplay(const trace::TraceHandle &trace,
                                                   const Machine &machine,
                                                   const ReplayOptions &options = {});

/// What each kernel takes with its arrays as they are, by name, over all launches of the run that
/// is decided for. \error as analyzeReplay()
[[nodiscard]] Result<std::map<std::string, KernelTime>>
kernelTimes(const trace::TraceHandle &trace, const Machine &machine,
            const ReplayOptions &options = {});

} // namespace relayout::analysis
