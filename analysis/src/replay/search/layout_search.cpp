// SPDX-License-Identifier: Apache-2.0
// Policy replay as a whole: searches a layout for each group and decides whether it is worth it.
#include "relayout/analysis/replay/replay.h"

#include "relayout/analysis/gpu/fit.h"
#include "relayout/analysis/replay/stream/measured_times.h"
#include "relayout/base/run_parallel.h"
#include "relayout/trace/reader.h"
#include "replay/search/candidates.h"
#include "replay/search/low_confidence.h"
#include "replay/search/search_space.h"
#include "report/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <sstream>
#include <tuple>

namespace relayout::analysis {
namespace {

/// Candidates of the coarse search that are replayed again with the whole sample.
constexpr std::size_t kFinalists = 6;

/// That a search tries, however long one takes.
constexpr std::uint64_t kFewestCandidates = 64;

/// Of a kernel; what is not seen of others is divided by it.
constexpr double kLeastSeen = 1e-9;

/// Of a time: what is told of gains and losses has one decimal of a per cent.
constexpr double kSmallestPart = 0.0005;

/// Part of the sample that the coarse search replays.
constexpr std::uint64_t kCoarseBundles = 24'000;

class Search {
public:
  Search(const trace::Trace &trace, const ReplaySample &sample, const ReplaySample &coarse,
         const Machine &machine, const ReplayOptions &options)
      : trace_(trace), sample_(sample), coarse_(coarse), machine_(machine), options_(options),
        chosen_(trace.sites.groups.size()), otherNs_(trace.kernels.size()) {}

  /// Holds the measured durations against the source's layouts.
  [[nodiscard]] Result<void> measureOtherWork() {
    for (const KernelSample &kernel : sample_.kernels) {
      const auto measured = options_.measuredNs.find(trace_.kernels[kernel.kernel]);
      if (measured == options_.measuredNs.end())
        continue;
      const Result<KernelEvaluation> now = evaluate(sample_, kernel, layouts());
      if (!now)
        return tl::unexpected(now.error());
      const RunScale &run = sample_.run;
      otherNs_[kernel.kernel] =
          otherWorkNs(now->time, measured->second * run.elements * run.launches);
    }
    return {};
  }

  [[nodiscard]] Result<GroupReplay> decide(trace::Index index) {
    const trace::Group &group = trace_.sites.groups[index];
    const trace::Record &record = trace_.sites.records[group.record];
    const std::vector<LayoutField> fields = layoutFields(record);
    GroupReplay result;
    result.group = index;
    result.decision.record = record.name;
    result.decision.arrays = group.arrays;
    for (const LayoutField &field : fields)
      result.decision.fields.push_back(field.name);
    result.decision.keep = true;
    result.decision.layout = fields.empty() ? Layout{} : aos(fields);

    if (sample_.stream.leaves[group.record].leaves.empty()) {
      result.decision.reason =
          fmt::format("it has {} fields, and policy replay takes {} at most; decide with "
                      "'--policy nakai', or nest records of fields that belong together",
                      fields.size(), kMaxLeaves);
      return result;
    }
    const bool replayed = std::ranges::any_of(
        sample_.kernels, [index](const KernelSample &kernel) { return kernel.usesGroup[index]; });
    if (!replayed || fields.empty()) {
      result.decision.reason = "no address of its accesses was recorded";
      return result;
    }
    countConversions(result);
    if (fields.size() == 1 && fields[0].count == 1) {
      result.decision.reason = "with a single field all layouts are the same";
      return result;
    }
    if (const Result<void> searched = search(result, fields); !searched)
      return tl::unexpected(searched.error());
    if (const Result<void> told = outcomes(result); !told)
      return tl::unexpected(told.error());
    conclude(result, fields);
    if (result.decision.keep)
      if (const Result<void> joined = joinRecord(result, fields); !joined)
        return tl::unexpected(joined.error());
    if (!result.decision.keep)
      chosen_[index] = result.decision.layout;
    return result;
  }

  /// What all launches of the kernels that use a group take, with the layouts as decided so far.
  [[nodiscard]] Result<double> weightOf(trace::Index group) const {
    double ns = 0;
    for (const KernelSample &kernel : coarse_.kernels)
      if (kernel.usesGroup[group]) {
        const Result<KernelEvaluation> now = evaluate(coarse_, kernel, layouts());
        if (!now)
          return tl::unexpected(now.error());
        ns += now->time.totalNs;
      }
    return ns;
  }

private:
  [[nodiscard]] std::vector<const Layout *> layouts() const {
    std::vector<const Layout *> all;
    for (const std::optional<Layout> &layout : chosen_)
      all.push_back(layout ? &*layout : nullptr);
    return all;
  }

  [[nodiscard]] Result<KernelEvaluation>
  evaluate(const ReplaySample &sample, const KernelSample &kernel,
           const std::vector<const Layout *> &layouts) const {
    return evaluateKernel(trace_, sample, kernel, layouts, machine_, otherNs_[kernel.kernel]);
  }

  /// Bytes that a changed layout converts: what the host copies back, and one upload an array.
  void countConversions(GroupReplay &result) const {
    std::map<std::uint64_t, std::uint64_t> copiesBySize;
    const trace::Record &record = trace_.sites.records[trace_.sites.groups[result.group].record];
    const RunScale &run = sample_.run;
    double bytes = 0;
    for (const ReplayArray &array : sample_.stream.arrays)
      if (array.group == result.group) {
        copiesBySize.try_emplace(array.elements * record.bytes, 0);
        bytes += static_cast<double>(array.elements * record.bytes);
      }
    for (const trace::CopyDigest &copy : trace_.copies)
      if (const auto size = copiesBySize.find(copy.bytes); size != copiesBySize.end())
        ++size->second;
    // What is copied more than once is copied again and again, as launches are; else at the end.
    for (const auto &[size, copies] : copiesBySize)
      bytes += static_cast<double>(size * copies) * (copies > 1 ? run.launches : 1);
    result.convertedBytes = static_cast<std::uint64_t>(bytes * run.elements);
  }

  [[nodiscard]] double conversionNs(const GroupReplay &result) const {
    // Each byte is read and written.
    return 2 * static_cast<double>(result.convertedBytes) / machine_.copyBytesPerNs;
  }

  /// Replays candidates side by side.
  [[nodiscard]] Result<std::vector<Candidate>>
  assess(const ReplaySample &sample, const GroupReplay &result,
         const std::vector<std::optional<Layout>> &tried) const {
    std::vector<const KernelSample *> kernels;
    for (const KernelSample &kernel : sample.kernels)
      if (kernel.usesGroup[result.group])
        kernels.push_back(&kernel);
    struct Glance {
      double ns = 0;
      double memoryNs = 0;
      Resource bound = Resource::Issue;
    };
    std::vector<Glance> glances(tried.size() * kernels.size());
    std::optional<Error> failure;
    std::mutex mutex;
    runParallel(glances.size(), options_.sample.threads, [&](std::size_t job) {
      std::vector<const Layout *> all = layouts();
      const std::optional<Layout> &layout = tried[job / kernels.size()];
      all[result.group] = layout ? &*layout : nullptr;
      const Result<KernelEvaluation> evaluation =
          evaluate(sample, *kernels[job % kernels.size()], all);
      if (evaluation) {
        const KernelTime &time = evaluation->time;
        glances[job] = {time.totalNs, time.l1Ns + time.l2ReadNs + time.l2WriteNs + time.dramNs,
                        bindingResource(time)};
        return;
      }
      const std::scoped_lock lock(mutex);
      failure = evaluation.error();
    });
    if (failure)
      return tl::unexpected(*failure);
    std::vector<Candidate> candidates;
    for (std::size_t i = 0; i < tried.size(); ++i) {
      Candidate candidate;
      candidate.isSource = !tried[i];
      if (tried[i]) {
        candidate.layout = *tried[i];
        candidate.conversionNs = conversionNs(result);
      }
      double error = 0;
      double weight = 0;
      for (std::size_t k = 0; k < kernels.size(); ++k) {
        const Glance &source = glances[k];
        const Glance &now = glances[i * kernels.size() + k];
        const double other = otherNs_[kernels[k]->kernel];
        candidate.kernelNs += now.ns;
        candidate.memoryNs += now.memoryNs;
        candidate.otherNs += other;
        // What was not seen may take as much more time as there is of it, in either layout.
        const double unseen = kernels[k]->unseen / std::max(1 - kernels[k]->unseen, kLeastSeen);
        error += (source.ns - other) *
                 (machine_.errorFactor() * ratioError(source.bound, now.bound) + unseen);
        weight += source.ns;
      }
      candidate.error = candidate.isSource || weight <= 0 ? 0 : error / weight;
      candidates.push_back(std::move(candidate));
    }
    return candidates;
  }

  static bool better(const Candidate &a, const Candidate &b) {
    return std::tuple(timeWithHidden(a), complexity(a)) <
           std::tuple(timeWithHidden(b), complexity(b));
  }

  /// What a reader has to understand of a layout, the least first: one struct, another order of its
  /// fields, one field a cluster, clusters; then tiles and padding.
  static std::tuple<std::uint64_t, bool, bool, bool, bool> complexity(const Candidate &candidate) {
    const Layout &layout = candidate.layout;
    const bool clustered = layout.clusters.size() > 1 &&
                           std::ranges::any_of(layout.clusters, [](const Cluster &cluster) {
                             return cluster.fields.size() > 1;
                           });
    const bool reordered = std::ranges::any_of(layout.clusters, [](const Cluster &cluster) {
      return !std::ranges::is_sorted(cluster.fields);
    });
    return {layout.padBytes, layout.tile != 0, clustered, layout.clusters.size() > 1, reordered};
  }

  /// Work of memory that other work is taken to hide, as a part of its time, still counts between
  /// layouts that are alike: what binds a kernel is less sure than what it moves.
  static double timeWithHidden(const Candidate &candidate) {
    return candidate.totalNs() + fit::kHiddenCounts * candidate.memoryNs;
  }

  /// The simplest candidate among those next to the fastest; of equally simple ones the best. Tiles
  /// and padding, of which no gain was ever measured on an H100, have to gain more than the model
  /// may be off.
  /// \param sorted  by better()
  static Candidate simplestOfBest(const std::vector<Candidate> &sorted) {
    const Candidate &fastest = sorted.front();
    const bool plain = fastest.layout.tile == 0 && fastest.layout.padBytes == 0;
    // What is the same in all of them does not make them alike.
    const double near = fit::kIndistinguishable * (1 - fastest.otherNs / fastest.totalNs());
    const double margin = plain ? near : std::max(near, fastest.error);
    const Candidate *simplest = &fastest;
    for (const Candidate &candidate : sorted)
      if (candidate.totalNs() <= fastest.totalNs() * (1 + margin) &&
          complexity(candidate) < complexity(*simplest))
        simplest = &candidate;
    return *simplest;
  }

  /// What is left of these to try: no tiles where a caller cannot carry them out, and not the
  /// source.
  [[nodiscard]] std::vector<Layout> worthTrying(std::vector<Layout> layouts,
                                                trace::Index group) const {
    const trace::Record &record = trace_.sites.records[trace_.sites.groups[group].record];
    std::erase_if(layouts, [&](const Layout &layout) {
      return (layout.tile != 0 && !options_.tiles) || isAsDeclared(layout, record);
    });
    return layouts;
  }

  [[nodiscard]] Result<void> search(GroupReplay &result, const std::vector<LayoutField> &fields) {
    std::uint64_t bundles = 0;
    for (const KernelSample &kernel : coarse_.kernels)
      bundles += kernel.usesGroup[result.group] ? kernel.bundles : 0;
    const std::uint64_t most = std::max<std::uint64_t>(
        options_.searchBundles / std::max<std::uint64_t>(bundles, 1), kFewestCandidates);

    const SearchSpace space = searchSpace(trace_, coarse_, result.group, fields);
    std::vector<std::optional<Layout>> tries{std::nullopt};
    for (Layout &layout : worthTrying(firstCandidates(space), result.group))
      tries.emplace_back(std::move(layout));
    std::vector<Candidate> all;
    std::size_t expanded = 0; // how many of the best have had their neighbours tried
    while (all.empty() || tries.size() > 1) {
      Result<std::vector<Candidate>> assessed = assess(coarse_, result, tries);
      if (!assessed)
        return tl::unexpected(assessed.error());
      all.insert(all.end(), assessed->begin() + (all.empty() ? 0 : 1), assessed->end());
      std::ranges::sort(all, better);
      if (options_.progress)
        options_.progress(result.decision.record, all.size());
      tries.assign(1, std::nullopt); // the source, to compare with
      // Steps from the best; when nothing near it is better, from the next best.
      for (const Candidate &from : all) {
        if (all.size() >= most || expanded >= kFinalists)
          break;
        const Layout start = from.isSource ? aos(fields) : from.layout;
        if (std::ranges::find(expandedLayouts_, start) != expandedLayouts_.end())
          continue;
        expandedLayouts_.push_back(start);
        ++expanded;
        for (Layout &layout : worthTrying(neighbours(start, space), result.group))
          if (std::ranges::find(all, layout, &Candidate::layout) == all.end() &&
              all.size() + tries.size() < most)
            tries.emplace_back(std::move(layout));
        if (tries.size() > 1)
          break;
      }
    }
    expandedLayouts_.clear();

    // The fastest, and the simplest of those next to it, whatever their number.
    std::vector<std::optional<Layout>> finalists{std::nullopt};
    std::vector<Candidate> changes;
    std::ranges::copy_if(all, std::back_inserter(changes),
                         [](const Candidate &candidate) { return !candidate.isSource; });
    finalists.emplace_back(simplestOfBest(changes).layout);
    for (const Candidate &candidate : changes)
      if (finalists.size() <= kFinalists &&
          std::ranges::find(finalists, std::optional(candidate.layout)) == finalists.end())
        finalists.emplace_back(candidate.layout);
    // One at least that a reader would call another.
    const auto other = std::ranges::find_if(changes, [&finalists](const Candidate &candidate) {
      return isAnotherLayout(candidate.layout, *finalists[1]);
    });
    if (other != changes.end() &&
        std::ranges::find(finalists, std::optional(other->layout)) == finalists.end())
      finalists.emplace_back(other->layout);
    Result<std::vector<Candidate>> last = assess(sample_, result, finalists);
    if (!last)
      return tl::unexpected(last.error());
    result.source = last->front();
    last->erase(last->begin());
    std::ranges::sort(*last, better);
    result.best = simplestOfBest(*last);
    const auto next = std::ranges::find_if(*last, [&result](const Candidate &candidate) {
      return isAnotherLayout(candidate.layout, result.best.layout);
    });
    result.runnerUp = next == last->end() ? result.source : *next;
    result.candidates = std::move(all);
    return {};
  }

  [[nodiscard]] Result<void> outcomes(GroupReplay &result) const {
    result.kernels.clear();
    for (const KernelSample &kernel : sample_.kernels) {
      if (!kernel.usesGroup[result.group])
        continue;
      KernelOutcome outcome;
      outcome.kernel = kernel.kernel;
      outcome.otherNs = otherNs_[kernel.kernel];
      std::vector<const Layout *> all = layouts();
      const auto with = [&](const Candidate &candidate,
                            KernelEvaluation &evaluation) -> Result<void> {
        all[result.group] = candidate.isSource ? nullptr : &candidate.layout;
        Result<KernelEvaluation> evaluated = evaluate(sample_, kernel, all);
        if (!evaluated)
          return tl::unexpected(evaluated.error());
        evaluation = std::move(*evaluated);
        return {};
      };
      for (const auto &[candidate, evaluation] :
           {std::pair(&result.source, &outcome.before), std::pair(&result.best, &outcome.after),
            std::pair(&result.runnerUp, &outcome.runnerUp)})
        if (const Result<void> done = with(*candidate, *evaluation); !done)
          return done;
      result.kernels.push_back(std::move(outcome));
    }
    return {};
  }

  void conclude(GroupReplay &result, const std::vector<LayoutField> &fields) const {
    const double now = result.source.totalNs();
    const double then = result.best.totalNs();
    const double gain = now - then;
    std::string kernels;
    for (const KernelOutcome &outcome : result.kernels)
      if (result.kernels.size() > 1)
        kernels += fmt::format("{}'{}' {:.2f}x", kernels.empty() ? "; " : ", ",
                               trace_.kernels[outcome.kernel],
                               outcome.before.time.totalNs / outcome.after.time.totalNs);
    const std::string what = describe(result.best.layout, fields);
    const double error = result.best.error;
    if (then * (1 + error) < now) {
      result.decision.keep = false;
      result.decision.layout = result.best.layout;
      result.decision.reason = fmt::format(
          "replay predicts {} ms instead of {} ms ({:.2f}x) on {}{}", milliseconds(then, now),
          milliseconds(now, now), now / then, describe(machine_), kernels);
      const Candidate &next = result.runnerUp;
      if (const double less = 1 - next.totalNs() / then; !next.isSource && less >= kSmallestPart)
        result.decision.reason += fmt::format(
            "; {} takes {} less, which the model cannot tell, so the simpler one is chosen",
            describe(next.layout, fields), percent(less));
      return;
    }
    result.decision.reason =
        gain > 0 ? fmt::format("leave it: the best other layout, {}, gains {}, which is within "
                               "the model's error of {:.1f} %{}",
                               what, percent(gain / now), 100 * error, kernels)
                 : fmt::format("leave it: no other layout is faster; the next, {}, takes {} more{}",
                               what, percent(-gain / now), kernels);
  }

  static std::string percent(double part) {
    return part < kSmallestPart ? "less than 0.1 %" : fmt::format("{:.1f} %", 100 * part);
  }

  /// One layout a record rather than two, where that costs nothing: what another group of the same
  /// record was given is taken for a group that would stay as it is, if no slower by the model.
  [[nodiscard]] Result<void> joinRecord(GroupReplay &result,
                                        const std::vector<LayoutField> &fields) const {
    const std::vector<trace::Group> &groups = trace_.sites.groups;
    std::vector<std::optional<Layout>> others{std::nullopt};
    std::string arrays;
    for (std::size_t g = 0; g < groups.size() && others.size() == 1; ++g)
      if (chosen_[g] && groups[g].record == groups[result.group].record) {
        others.push_back(chosen_[g]);
        arrays = groups[g].arrays.front();
      }
    if (others.size() == 1)
      return {};
    const Result<std::vector<Candidate>> assessed = assess(sample_, result, others);
    if (!assessed)
      return tl::unexpected(assessed.error());
    const Candidate &source = assessed->front();
    const Candidate &same = assessed->back();
    if (same.totalNs() > source.totalNs())
      return {};
    if (!result.runnerUp.isSource && !isAnotherLayout(result.runnerUp.layout, same.layout))
      result.runnerUp = result.best;
    result.best = same;
    if (const Result<void> told = outcomes(result); !told)
      return told;
    result.decision.keep = false;
    result.decision.layout = same.layout;
    result.decision.reason = fmt::format(
        "{} as '{}' has it, so that the record has one layout; of the gain, {}, the model is not "
        "sure, its error is {:.1f} %",
        describe(same.layout, fields), arrays,
        percent((source.totalNs() - same.totalNs()) / source.totalNs()), 100 * same.error);
    return {};
  }

  const trace::Trace &trace_;
  const ReplaySample &sample_;
  const ReplaySample &coarse_;
  const Machine &machine_;
  const ReplayOptions &options_;
  std::vector<std::optional<Layout>> chosen_; ///< by group
  std::vector<double> otherNs_;               ///< by trace kernel
  std::vector<Layout> expandedLayouts_;
};

} // namespace

RunScale runScale(const trace::Trace &trace, const Machine &machine, const ReplayOptions &options) {
  constexpr double kTimesL2 = 64; // so that one field of many does not fit either
  constexpr double kLaunches = 100;
  RunScale run;
  if (trace.machine.kind == "cpu") {
    std::map<std::uint64_t, std::uint64_t> bytesAt; // what is freed may lie there again
    for (const trace::Allocation &allocation : trace.allocations)
      bytesAt[allocation.address] = std::max(bytesAt[allocation.address], allocation.bytes);
    double bytes = 1;
    for (const auto &[address, length] : bytesAt)
      bytes += static_cast<double>(length);
    std::map<trace::Index, double> launches;
    double most = 1;
    for (const trace::Launch &launch : trace.launches)
      most = std::max(most, ++launches[launch.kernel]);
    const auto atLeastOne = [](double factor) { return std::max(1.0, std::ceil(factor)); };
    run.elements = atLeastOne(kTimesL2 * static_cast<double>(machine.l2Bytes) / bytes);
    run.launches = atLeastOne(kLaunches / most);
  }
  run.elements = options.elements.value_or(run.elements);
  run.launches = options.launches.value_or(run.launches);
  return run;
}

Result<ReplayAnalysis> analyzeReplay(trace::Trace trace, const AccessSource &accesses,
                                     const Machine &machine, const ReplayOptions &options) {
  if (!trace.complete)
    return fail(Code::IncompleteTrace,
                "the trace is incomplete: the traced program did not end in order");
  const bool ran = std::ranges::any_of(trace.counts, [&trace](const trace::SiteCount &row) {
    const auto site = trace::findSite(trace.sites, row.site);
    return site && trace.sites.sites[*site].record != trace::kNone;
  });
  if (!ran)
    return fail(Code::NoRecordAccessed,
                "no kernel of the traced run accessed a record in device memory, so "
                "there is no layout to choose");
  SampleOptions sampling = options.sample;
  sampling.run = runScale(trace, machine, options);
  Result<ReplaySample> sample = collectSample(trace, accesses, machine, sampling);
  if (!sample)
    return tl::unexpected(sample.error());
  if (sample->stream.mapped == 0)
    return fail(Code::NoAddresses,
                "the trace holds counts but not one address, and policy replay replays "
                "addresses; trace again with RELAYOUT_TRACE_MODE=sampled or full");
  const ReplaySample coarse = coarser(trace, *sample, machine, kCoarseBundles);

  ReplayAnalysis analysis;
  Search search(trace, *sample, coarse, machine, options);
  if (const Result<void> measured = search.measureOtherWork(); !measured)
    return tl::unexpected(measured.error());
  std::vector<std::pair<double, trace::Index>> order;
  for (trace::Index group = 0; group < trace.sites.groups.size(); ++group) {
    const Result<double> weight = search.weightOf(group);
    if (!weight)
      return tl::unexpected(weight.error());
    order.emplace_back(-*weight, group);
  }
  std::ranges::sort(order);
  analysis.groups.resize(trace.sites.groups.size());
  for (const auto &[weight, group] : order) {
    Result<GroupReplay> decided = search.decide(group);
    if (!decided)
      return tl::unexpected(decided.error());
    analysis.groups[group] = std::move(*decided);
  }
  analysis.plan.sourceFile = trace.sites.sourceFile;
  analysis.plan.sourceDigest = trace.sites.sourceDigest;
  analysis.plan.policy = "replay";
  analysis.trace = std::move(trace);
  analysis.machine = machine;
  analysis.sample = std::move(*sample);
  for (GroupReplay &group : analysis.groups) {
    group.decision.doubt = doubtOf(analysis, group);
    analysis.plan.decisions.push_back(group.decision);
  }
  return analysis;
}

Result<ReplayAnalysis> analyzeReplay(const std::string &traceFile, const Machine &machine,
                                     const ReplayOptions &options) {
  Result<trace::Trace> trace = trace::readTrace(traceFile);
  if (!trace)
    return tl::unexpected(trace.error());
  if (const Result<void> complete = trace::requireComplete(*trace, traceFile); !complete)
    return tl::unexpected(complete.error());
  ReplayOptions measured = options;
  if (measured.measuredNs.empty() && trace->machine.kind == "gpu") {
    std::ifstream file(trace::reportBeside(traceFile));
    std::stringstream report;
    report << file.rdbuf();
    measured.measuredNs = measuredKernelNs(report.str(), machine.name);
  }
  return analyzeReplay(
      std::move(*trace),
      [&traceFile](const auto &callback) { return trace::forEachAccess(traceFile, callback); },
      machine, measured);
}

} // namespace relayout::analysis
