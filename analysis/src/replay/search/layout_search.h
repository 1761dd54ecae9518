// SPDX-License-Identifier: Apache-2.0
// Policy replay: finds the best layout of one group, the layouts of the others given.
#pragma once

#include "replay/search/assessor.h"
#include "replay/search/candidates.h"

#include "relayout/trace/trace_handle.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

namespace relayout::analysis {

struct SearchOptions {
  /// Bundles that a search may replay, over all candidates of one group: bounds its time.
  std::uint64_t maxBundles = 60'000'000;
  /// Whether tiled layouts are tried; a caller that cannot apply them says no.
  bool tiles = true;
  /// Groups in whose layouts no array member is exploded.
  std::set<trace::Index> wholeArrays;
  /// What an earlier decision tried, and what a compiler made of some of it: these alone are
  /// compared again, with their registers. Null: the search itself.
  const CompiledFinalists *compiled = nullptr;
  /// Called with the group's record and the number of candidates tried so far. From one thread.
  std::function<void(const std::string &record, std::uint64_t candidates)> progress;
};

/// The samples that a search replays, at every size that the real run may have.
struct SearchSamples {
  std::vector<SizedSample> all;
  std::vector<SizedSample> coarse; ///< a part of each, for pre-screening
};

/// A run of the program with other arguments, which has to outlive the samples.
struct OtherRun {
  trace::TraceHandle trace;
  ReplaySample sample; ///< scaled to the size that is decided for
};

/// \param other  null: none is known
[[nodiscard]] SearchSamples searchSamples(const trace::Trace &trace, const ReplaySample &sample,
                                          const Machine &machine, const OtherRun *other = nullptr);

class LayoutSearch {
public:
  LayoutSearch(const trace::Trace &trace, const SearchSamples &samples, const Assessor &assessor,
               const SearchOptions &options)
      : trace_(trace), samples_(samples), assessor_(assessor), options_(options) {}

  /// Sets the group's source, candidates, best and runner-up.
  /// \returns  whether there was any other layout to try
  [[nodiscard]] Result<bool> run(GroupReplay &result, const std::vector<LayoutField> &fields) const;

  /// Replays candidates at all sizes; the first one is the source.
  [[nodiscard]] Result<std::vector<Candidate>>
  assess(const std::vector<SizedSample> &sizes, trace::Index group,
         const std::vector<std::optional<Layout>> &tried) const;

private:
  [[nodiscard]] Result<std::vector<Candidate>> explore(const GroupReplay &result,
                                                       const SearchSpace &space) const;
  [[nodiscard]] std::size_t mostCandidates(trace::Index group) const;
  [[nodiscard]] std::vector<Layout> fitting(std::vector<Layout> layouts, trace::Index group) const;
  [[nodiscard]] std::vector<Layout> worthTrying(std::vector<Layout> layouts,
                                                trace::Index group) const;

  const trace::Trace &trace_;
  const SearchSamples &samples_;
  const Assessor &assessor_;
  const SearchOptions &options_;
};

} // namespace relayout::analysis
