// SPDX-License-Identifier: Apache-2.0
// Orders of elements of several groups, taken together.
#include "replay/search/joint_orders.h"

#include "relayout/analysis/gpu/fit.h"
#include "replay/search/group_decision.h"
#include "replay/search/ranking.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace relayout::analysis {
namespace {

using Trial = Assessor::Trial;

std::set<trace::Index> groupsOf(const Trial &trial) {
  std::set<trace::Index> groups;
  for (const auto &[group, layout] : trial)
    groups.insert(group);
  return groups;
}

/// The order that a group has, or else the fastest one that was tried and gains by the model.
const Layout *orderOf(const GroupReplay &group) {
  if (!group.decision.keep)
    return group.decision.layout.order.isAsNumbered() ? nullptr : &group.decision.layout;
  if (group.verdict == Verdict::Spills)
    return nullptr;
  const auto best = std::ranges::find_if(group.candidates, [](const Candidate &candidate) {
    return !candidate.isSource && !candidate.layout.order.isAsNumbered();
  });
  const bool gains = best != group.candidates.end() && best->sizes.front().ratio < 1;
  return gains ? &best->layout : nullptr;
}

class JointOrders {
public:
  JointOrders(const SearchSamples &samples, Assessor &assessor, std::vector<GroupReplay> &decided)
      : samples_(samples), assessor_(assessor), decided_(decided) {}

  Result<void> run() {
    Trial open;
    for (const GroupReplay &group : decided_)
      if (const Layout *order = orderOf(group))
        open.emplace(group.group, *order);
    while (!open.empty()) {
      const Trial connected = connectedWith(open.begin()->first, open);
      for (const auto &[group, layout] : connected)
        open.erase(group);
      const bool addsOne = std::ranges::any_of(
          connected, [this](const auto &entry) { return decided_[entry.first].decision.keep; });
      if (connected.size() > 1 && addsOne)
        if (const Result<void> done = decide(connected); !done)
          return done;
    }
    return {};
  }

private:
  /// The groups of a trial that share kernels with one of them, directly or through others.
  [[nodiscard]] Trial connectedWith(trace::Index first, const Trial &all) const {
    Trial connected{{first, all.at(first)}};
    for (bool grows = true; std::exchange(grows, false);)
      for (const KernelSample &kernel : samples_.all.front().sample.kernels) {
        const auto isUsed = [&kernel](const auto &entry) { return kernel.usesGroup[entry.first]; };
        if (!std::ranges::any_of(connected, isUsed))
          continue;
        for (const auto &entry : all)
          if (isUsed(entry))
            grows |= connected.insert(entry).second;
      }
    return connected;
  }

  /// Takes what gains against the source at every size and is faster than what was decided one by
  /// one: what was decided, and the other orders without those that it is not slower without.
  Result<void> decide(Trial trial) {
    const std::set<trace::Index> groups = groupsOf(trial);
    Trial oneByOne = trial;
    std::erase_if(oneByOne,
                  [this](const auto &entry) { return decided_[entry.first].decision.keep; });
    const auto before = assessor_.assess(samples_.all, groups, {Trial{}, oneByOne});
    if (!before)
      return tl::unexpected(before.error());
    for (const trace::Index group : groups) {
      if (oneByOne.contains(group))
        continue;
      Trial without = trial;
      without.erase(group);
      const auto both = assessor_.assess(samples_.all, groups, {Trial{}, trial, without});
      if (!both)
        return tl::unexpected(both.error());
      if ((*both)[2].totalNs() <= (*both)[1].totalNs())
        trial = std::move(without);
    }
    if (trial == oneByOne)
      return {};
    const auto both = assessor_.assess(samples_.all, groups, {Trial{}, trial});
    if (!both)
      return tl::unexpected(both.error());
    const Candidate &together = both->back();
    if (!wins(together) || !holdsAtOtherSizes(together) ||
        together.totalNs() * (1 + fit::kIndistinguishable) >= before->back().totalNs())
      return {};
    return take(trial, *both);
  }

  /// \param both  the source and the trial
  Result<void> take(const Trial &trial, const std::vector<Candidate> &both) {
    for (const auto &[group, layout] : trial)
      assessor_.choose(group, layout);
    std::map<trace::Index, std::vector<Candidate>> besideOthers;
    for (const auto &[group, layout] : trial) {
      auto assessed = assessor_.assess(samples_.all, {group}, {Trial{}, Trial{{group, layout}}});
      if (!assessed)
        return tl::unexpected(assessed.error());
      besideOthers[group] = std::move(*assessed);
    }
    const auto spills = [](const auto &entry) { return !entry.second.back().spillsIn.empty(); };
    if (std::ranges::any_of(besideOthers, spills)) {
      for (const auto &[group, layout] : trial)
        assessor_.choose(group,
                         decided_[group].decision.keep ? std::nullopt : std::optional(layout));
      return {};
    }
    const std::set<trace::Index> groups = groupsOf(trial);
    for (auto &[index, candidates] : besideOthers) {
      GroupReplay &group = decided_[index];
      group.source = candidates.front();
      group.best = candidates.back();
      group.candidates = std::move(candidates); // others were compared beside other layouts
      if (!group.runnerUp.isSource && !isAnotherLayout(group.runnerUp.layout, group.best.layout))
        group.runnerUp = group.source;
      group.verdict = Verdict::GainsTogether;
      group.joint = {{groups.begin(), groups.end()}, both.front().totalNs(), both.back().totalNs()};
      group.decision.keep = false;
      group.decision.layout = group.best.layout;
      if (const Result<void> compared = compareKernels(samples_, assessor_, group); !compared)
        return compared;
    }
    return {};
  }

  const SearchSamples &samples_;
  Assessor &assessor_;
  std::vector<GroupReplay> &decided_;
};

} // namespace

Result<void> decideTogether(const SearchSamples &samples, Assessor &assessor,
                            std::vector<GroupReplay> &decided) {
  return JointOrders(samples, assessor, decided).run();
}

} // namespace relayout::analysis
