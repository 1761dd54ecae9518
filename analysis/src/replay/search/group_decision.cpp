// SPDX-License-Identifier: Apache-2.0
// Decides on one group: the search's best, what another group of the record has, or the source.
#include "replay/search/group_decision.h"

#include "replay/search/conversion.h"
#include "replay/search/element_orders.h"
#include "replay/search/ranking.h"

#include <algorithm>
#include <utility>

namespace relayout::analysis {
namespace {

/// The group's declarations, not decided yet.
Decision undecided(const trace::Group &group, const trace::Record &record,
                   const std::vector<LayoutField> &fields) {
  Decision decision;
  decision.record = record.name;
  decision.arrays = group.arrays;
  for (const LayoutField &field : fields)
    decision.fields.push_back(field.name);
  decision.keep = true;
  decision.layout = fields.empty() ? Layout{} : aos(fields);
  return decision;
}

class GroupDecider {
public:
  GroupDecider(const trace::Trace &trace, const SearchSamples &samples, const Assessor &assessor,
               const SearchOptions &options)
      : trace_(trace), samples_(samples), assessor_(assessor),
        search_(trace, samples, assessor, options), wholeArrays_(options.wholeArrays),
        compiled_(options.compiled) {}

  [[nodiscard]] Result<GroupReplay> decide(trace::Index index) const {
    const trace::Group &group = trace_.sites.groups[index];
    const std::vector<LayoutField> fields = layoutFields(trace_.sites.records[group.record]);
    GroupReplay result;
    result.group = index;
    result.decision = undecided(group, trace_.sites.records[group.record], fields);
    if (sample().stream.leaves[group.record].leaves.empty()) {
      result.verdict = Verdict::TooManyFields;
      return result;
    }
    const bool isReplayed = std::ranges::any_of(
        sample().kernels, [index](const KernelSample &kernel) { return kernel.usesGroup[index]; });
    if (!isReplayed || fields.empty())
      return result;
    result.hostCopies = hostCopies(trace_, sample(), index);
    const Result<bool> searched = search_.run(result, asSearched(fields, index));
    if (!searched)
      return tl::unexpected(searched.error());
    if (!*searched) {
      result.verdict =
          lanesStandApart(sample(), index) ? Verdict::UnknownExtents : Verdict::SingleField;
      return result;
    }
    conclude(result);
    if (result.decision.keep)
      keepWhatBothFind(result);
    if (result.decision.keep)
      if (const Result<void> shared = shareRecordLayout(result); !shared)
        return tl::unexpected(shared.error());
    if (const Result<void> compared = compareKernels(samples_, assessor_, result); !compared)
      return tl::unexpected(compared.error());
    return result;
  }

private:
  /// An array member that stays whole is one element to the search.
  [[nodiscard]] std::vector<LayoutField> asSearched(std::vector<LayoutField> fields,
                                                    trace::Index group) const {
    if (wholeArrays_.contains(group))
      for (LayoutField &field : fields)
        field.count = 1;
    return fields;
  }

  [[nodiscard]] bool mayHave(trace::Index group, const Layout &layout) const {
    return !wholeArrays_.contains(group) ||
           std::ranges::none_of(layout.clusters, &Cluster::exploded);
  }

  /// At the size that is decided for.
  [[nodiscard]] const ReplaySample &sample() const { return samples_.all.front().sample; }

  static void conclude(GroupReplay &result) {
    // Of what gains at this size alone the report speaks, rather than of what gains nowhere.
    if (!wins(result.best) && !result.runnerUp.sizes.empty() && wins(result.runnerUp))
      std::swap(result.best, result.runnerUp);
    const bool isWin = wins(result.best);
    if (isWin && holdsAtOtherSizes(result.best)) {
      result.verdict = Verdict::PredictedGain;
      result.decision.keep = false;
      result.decision.layout = result.best.layout;
    } else if (isWin) {
      result.verdict = Verdict::LosesAtAnotherSize;
    } else if (!result.best.spillsIn.empty()) {
      result.verdict = Verdict::Spills;
    } else {
      result.verdict = result.best.totalNs() < result.source.totalNs() ? Verdict::GainWithinError
                                                                       : Verdict::NothingFaster;
    }
  }

  /// Machine code is off by more than a small gain. What estimates chose stays where it finds that
  /// layout faster at all sizes, too: two ways to count agree.
  void keepWhatBothFind(GroupReplay &result) const {
    if (compiled_ == nullptr || compiled_->earlier[result.group].decision.keep ||
        !assessor_.knowsWalkOf(sample(), result.group))
      return;
    const Layout &earlier = compiled_->earlier[result.group].decision.layout;
    const auto same = std::ranges::find_if(result.candidates, [&](const Candidate &candidate) {
      return !candidate.isSource && candidate.spillsIn.empty() && candidate.layout == earlier &&
             std::ranges::all_of(candidate.sizes,
                                 [](const SizeOutcome &size) { return size.ratio <= 1; });
    });
    if (same == result.candidates.end())
      return;
    result.runnerUp = result.best;
    result.best = *same;
    result.verdict = Verdict::PredictedGain;
    result.decision.keep = false;
    result.decision.layout = same->layout;
  }

  /// One layout a record rather than two, where that costs nothing: what another group of the same
  /// record was given is taken for a group that would be kept, if no slower by the model. Plain
  /// arrays of one type have nothing else in common, nor have global and shared memory.
  [[nodiscard]] Result<void> shareRecordLayout(GroupReplay &result) const {
    const std::vector<trace::Group> &groups = trace_.sites.groups;
    const trace::Group &own = groups[result.group];
    if (trace_.sites.records[own.record].fields.size() == 1 || own.isShared)
      return {};
    trace::Index other = 0;
    while (other < groups.size() && (!assessor_.chosen(other) || groups[other].isShared ||
                                     groups[other].record != own.record))
      ++other;
    if (other == groups.size() || !mayHave(result.group, *assessor_.chosen(other)))
      return {};
    const Result<std::vector<Candidate>> assessed =
        search_.assess(samples_.all, result.group, {std::nullopt, assessor_.chosen(other)});
    if (!assessed)
      return tl::unexpected(assessed.error());
    const Candidate &same = assessed->back();
    if (same.totalNs() > assessed->front().totalNs() || !same.spillsIn.empty() ||
        !holdsAtOtherSizes(same))
      return {};
    if (!result.runnerUp.isSource && !isAnotherLayout(result.runnerUp.layout, same.layout))
      result.runnerUp = result.best;
    result.best = same;
    result.verdict = Verdict::SharesRecordLayout;
    result.sharedWith = other;
    result.decision.keep = false;
    result.decision.layout = same.layout;
    return {};
  }

  const trace::Trace &trace_;
  const SearchSamples &samples_;
  const Assessor &assessor_;
  LayoutSearch search_;
  const std::set<trace::Index> &wholeArrays_;
  const CompiledFinalists *compiled_;
};

} // namespace

Result<void> compareKernels(const SearchSamples &samples, const Assessor &assessor,
                            GroupReplay &result) {
  const ReplaySample &sample = samples.all.front().sample;
  result.kernels.clear();
  for (const KernelSample &kernel : sample.kernels) {
    if (!kernel.usesGroup[result.group])
      continue;
    KernelOutcome outcome;
    outcome.kernel = kernel.kernel;
    for (const auto &[candidate, evaluation] :
         {std::pair(&result.source, &outcome.before), std::pair(&result.best, &outcome.after),
          std::pair(&result.runnerUp, &outcome.runnerUp)}) {
      Result<KernelEvaluation> evaluated = assessor.evaluate(
          sample, kernel, result.group, candidate->isSource ? nullptr : &candidate->layout);
      if (!evaluated)
        return tl::unexpected(evaluated.error());
      *evaluation = std::move(*evaluated);
    }
    result.kernels.push_back(std::move(outcome));
  }
  return {};
}

Result<GroupReplay> decideGroup(const trace::Trace &trace, const SearchSamples &samples,
                                const Assessor &assessor, const SearchOptions &options,
                                trace::Index group) {
  return GroupDecider(trace, samples, assessor, options).decide(group);
}

} // namespace relayout::analysis
