// SPDX-License-Identifier: Apache-2.0
// Pre-screens candidates on a part of the sample, then compares the best on all of it.
#include "replay/search/layout_search.h"

#include "replay/search/ranking.h"
#include "replay/search/search_space.h"

#include <algorithm>
#include <bit>
#include <iterator>

namespace relayout::analysis {
namespace {

/// Candidates of the coarse search that are replayed again with the whole sample.
constexpr std::size_t kFinalists = 6;

/// That a search tries, however long one takes.
constexpr std::size_t kFewestCandidates = 64;

/// Part of the sample that the coarse search replays: so many bundles, fewer of large ones.
constexpr std::uint64_t kCoarseBundles = 24'000;
constexpr std::uint64_t kCoarseAccesses = 192'000;

std::uint64_t coarseBundles(const ReplaySample &sample) {
  std::uint64_t bundles = 0;
  std::uint64_t accesses = 0;
  for (const KernelSample &kernel : sample.kernels) {
    const std::vector<AccessSet> &sets = sample.stream.kernels[kernel.kernel].accessSets;
    for (const Wave &wave : kernel.waves)
      for (const WarpRun &run : wave.warps)
        for (const Bundle &bundle : run.bundles) {
          const AccessSet &set = sets[bundle.accessSet];
          ++bundles;
          accesses += static_cast<unsigned>(std::popcount(set.reads) + std::popcount(set.writes) +
                                            std::popcount(set.atomics));
        }
  }
  return std::min(kCoarseBundles, kCoarseAccesses * bundles / std::max<std::uint64_t>(accesses, 1));
}

/// Candidates that a search has expanded: those whose adjacent layouts were tried.
class Expansion {
public:
  explicit Expansion(const SearchSpace &space) : space_(space) {}

  /// Layouts one step from the best that was not expanded yet; when none of them is new, from the
  /// next best.
  /// \param worthTrying  what is left of layouts to try
  /// \param most         layouts
  template <class Filter>
  std::vector<Layout> next(const std::vector<Candidate> &sorted, std::size_t most,
                           Filter worthTrying) {
    std::vector<Layout> shapes;
    for (const Candidate &candidate : sorted)
      shapes.push_back(shapeOf(candidate.layout, space_));
    std::vector<Layout> fresh;
    for (const Candidate &from : sorted) {
      if (expanded_.size() >= kFinalists || !fresh.empty())
        break;
      const Layout start = from.isSource ? aos(space_.fields) : from.layout;
      if (std::ranges::find(expanded_, start) != expanded_.end())
        continue;
      expanded_.push_back(start);
      for (Layout &layout : worthTrying(adjacentLayouts(start, space_)))
        if (fresh.size() < most &&
            std::ranges::find(shapes, shapeOf(layout, space_)) == shapes.end())
          fresh.push_back(std::move(layout));
    }
    return fresh;
  }

private:
  const SearchSpace &space_;
  std::vector<Layout> expanded_;
};

std::vector<Candidate> changesOf(const std::vector<Candidate> &candidates) {
  std::vector<Candidate> changes;
  std::ranges::copy_if(candidates, std::back_inserter(changes),
                       [](const Candidate &candidate) { return !candidate.isSource; });
  return changes;
}

/// What stands for a choice that may have to be made: the fastest, the plainest of those next to
/// it, and what a reader would call another layout.
std::vector<std::optional<Layout>> finalistsOf(const std::vector<Candidate> &changes,
                                               const std::vector<TriedOrder> &orders) {
  std::vector<std::optional<Layout>> finalists{std::nullopt};
  const auto add = [&finalists](const Layout &layout) {
    if (std::ranges::find(finalists, std::optional(layout)) == finalists.end())
      finalists.emplace_back(layout);
  };
  add(plainestOfBest(changes, orders).layout);
  for (const Candidate &candidate : changes)
    if (finalists.size() <= kFinalists)
      add(candidate.layout);
  const auto other = std::ranges::find_if(changes, [&finalists](const Candidate &candidate) {
    return isAnotherLayout(candidate.layout, *finalists[1]);
  });
  if (other != changes.end())
    add(other->layout);
  return finalists;
}

/// The source, and each other layout of the group that was compiled.
std::vector<std::optional<Layout>> compiledLayouts(const CompiledFinalists &compiled,
                                                   trace::Index group) {
  std::vector<std::optional<Layout>> layouts{std::nullopt};
  for (const CompiledVersion &version : compiled.versions)
    if (std::ranges::find(layouts, version.layouts[group]) == layouts.end())
      layouts.push_back(version.layouts[group]);
  return layouts;
}

/// Where a clever layout fails at another size, a plainer one may hold.
void addBestOfEachKind(const std::vector<Candidate> &changes,
                       std::vector<std::optional<Layout>> &finalists) {
  std::vector<Complexity> kinds;
  for (const Candidate &candidate : changes) {
    const Complexity kind = complexityOf(candidate.layout);
    if (std::ranges::find(kinds, kind) != kinds.end())
      continue;
    kinds.push_back(kind);
    if (std::ranges::find(finalists, std::optional(candidate.layout)) == finalists.end())
      finalists.emplace_back(candidate.layout);
  }
}

/// One scale for all that were tried: the finalists as the whole sample has them, the others by
/// what a subset says of them beside the source.
void putOnWholeSample(std::vector<Candidate> &all, const std::vector<Candidate> &finalists) {
  const auto coarse = std::ranges::find_if(all, &Candidate::isSource);
  const auto whole = std::ranges::find_if(finalists, &Candidate::isSource);
  const double scale = coarse->kernelNs > 0 ? whole->kernelNs / coarse->kernelNs : 1;
  for (Candidate &candidate : all) {
    const auto again = std::ranges::find_if(finalists, [&candidate](const Candidate &finalist) {
      return finalist.isSource == candidate.isSource && finalist.layout == candidate.layout;
    });
    if (again != finalists.end()) {
      candidate = *again;
      continue;
    }
    candidate.kernelNs *= scale;
    candidate.otherNs *= scale;
  }
  std::ranges::sort(all, ranksBefore);
}

} // namespace

SearchSamples searchSamples(const trace::Trace &trace, const ReplaySample &sample,
                            const Machine &machine, const OtherRun *other) {
  SearchSamples samples;
  samples.all = sizesOf(trace, sample, machine);
  if (other != nullptr)
    for (SizedSample &size : sizesOf(*other->trace, other->sample, machine)) {
      if (size.footprint == Footprint::Traced)
        continue; // of small runs the first one speaks for all
      size.isOfOtherRun = true;
      samples.all.push_back(std::move(size));
    }
  for (const SizedSample &size : samples.all)
    if (size.footprint == Footprint::Asked || size.footprint == Footprint::Spread) {
      samples.coarse.push_back(size);
      samples.coarse.back().sample =
          coarser(*size.trace, size.sample, machine, coarseBundles(size.sample));
    }
  return samples;
}

Result<std::vector<Candidate>>
LayoutSearch::assess(const std::vector<SizedSample> &sizes, trace::Index group,
                     const std::vector<std::optional<Layout>> &tried) const {
  std::vector<Assessor::Trial> trials(tried.size());
  for (std::size_t i = 0; i < tried.size(); ++i)
    if (tried[i])
      trials[i].emplace(group, *tried[i]);
  return assessor_.assess(sizes, {group}, trials);
}

std::size_t LayoutSearch::mostCandidates(trace::Index group) const {
  std::uint64_t bundles = 0;
  for (const SizedSample &size : samples_.coarse)
    for (const KernelSample &kernel : size.sample.kernels)
      bundles += kernel.usesGroup[group] ? kernel.bundles : 0;
  return std::max<std::uint64_t>(options_.maxBundles / std::max<std::uint64_t>(bundles, 1),
                                 kFewestCandidates);
}

/// Of a group in shared memory, with planes as close to each other as vector accesses allow where
/// there is no room otherwise.
std::vector<Layout> LayoutSearch::fitting(std::vector<Layout> layouts, trace::Index group) const {
  const auto fits = [&](const Layout &layout) {
    return assessor_.fitsSharedMemory(samples_.all.front().sample, group, layout);
  };
  std::vector<Layout> fitting;
  for (Layout &layout : layouts) {
    if (!fits(layout) && layout.tile == 0)
      layout.startAlignment = kWidestAccessBytes;
    if (fits(layout))
      fitting.push_back(std::move(layout));
  }
  return fitting;
}

/// Without tiles where a caller cannot apply them, and without the source.
std::vector<Layout> LayoutSearch::worthTrying(std::vector<Layout> layouts,
                                              trace::Index group) const {
  const trace::Record &record = trace_.sites.records[trace_.sites.groups[group].record];
  std::erase_if(layouts, [&](const Layout &layout) {
    return (layout.tile != 0 && !options_.tiles) || isAsDeclared(layout, record);
  });
  if (trace::isInSharedMemory(trace_.sites, group))
    return fitting(std::move(layouts), group);
  return layouts;
}

Result<std::vector<Candidate>> LayoutSearch::explore(const GroupReplay &result,
                                                     const SearchSpace &space) const {
  const auto filter = [&](std::vector<Layout> layouts) {
    return worthTrying(std::move(layouts), result.group);
  };
  const std::size_t most = mostCandidates(result.group);
  std::vector<Candidate> all;
  Expansion expansion(space);
  std::vector<Layout> next = filter(firstCandidates(space));
  while (all.empty() || !next.empty()) {
    std::vector<std::optional<Layout>> tries{std::nullopt}; // the source, to compare with
    std::ranges::move(next, std::back_inserter(tries));
    Result<std::vector<Candidate>> assessed = assess(samples_.coarse, result.group, tries);
    if (!assessed)
      return assessed;
    all.insert(all.end(), assessed->begin() + (all.empty() ? 0 : 1), assessed->end());
    std::ranges::sort(all, ranksBefore);
    if (options_.progress)
      options_.progress(result.decision.record, all.size());
    next = expansion.next(all, most - std::min(most, all.size()), filter);
  }
  return all;
}

Result<bool> LayoutSearch::run(GroupReplay &result, const std::vector<LayoutField> &fields) const {
  // Of the whole sample: its subset may miss the accesses that an order is for.
  const SearchSpace space = searchSpace(trace_, samples_.all.front().sample, result.group, fields);
  Result<std::vector<Candidate>> all = options_.compiled != nullptr
                                           ? options_.compiled->earlier[result.group].candidates
                                           : explore(result, space);
  if (!all)
    return tl::unexpected(all.error());
  const std::vector<Candidate> changes = changesOf(*all);
  if (changes.empty())
    return false;
  std::vector<std::optional<Layout>> finalists{std::nullopt};
  if (options_.compiled != nullptr)
    finalists = compiledLayouts(*options_.compiled, result.group);
  const bool areCompiled = finalists.size() > 1;
  if (!areCompiled)
    finalists = finalistsOf(changes, space.orders);
  if (samples_.all.size() > 1 && !areCompiled)
    addBestOfEachKind(changes, finalists);
  Result<std::vector<Candidate>> last = assess(samples_.all, result.group, finalists);
  if (!last)
    return tl::unexpected(last.error());
  trustAsStructs(*last);
  if (areCompiled && assessor_.knowsWalkOf(samples_.all.front().sample, result.group))
    *all = *last; // beside these, estimates say nothing
  else if (areCompiled)
    trustAsEarlier(*last, *all);
  putOnWholeSample(*all, *last);
  result.source = last->front();
  last->erase(last->begin());
  std::ranges::sort(*last, ranksBefore);
  std::vector<Candidate> holding;
  std::ranges::copy_if(*last, std::back_inserter(holding), [](const Candidate &candidate) {
    return candidate.spillsIn.empty() && holdsAtOtherSizes(candidate);
  });
  result.best = plainestOfBest(holding.empty() ? *last : holding, space.orders);
  const auto isAnother = [&result](const Candidate &candidate) {
    return isAnotherLayout(candidate.layout, result.best.layout);
  };
  // Where nothing gains at all sizes, what gains at this one comes next.
  auto next = wins(result.best) ? last->end() : std::ranges::find_if(*last, wins);
  if (next == last->end())
    next = std::ranges::find_if(*last, isAnother);
  result.runnerUp = next == last->end() ? result.source : *next;
  result.candidates = std::move(*all);
  return true;
}

} // namespace relayout::analysis
