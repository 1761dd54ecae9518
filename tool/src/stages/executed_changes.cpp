// SPDX-License-Identifier: Apache-2.0
// Compares the decisions of a plan with the accesses that a trace counts.
#include "stages/executed_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

namespace relayout::tool {
namespace {

/// Groups with accesses; of a record, where accesses are not known to be to one of its groups, all.
std::set<trace::Index> accessedGroups(const trace::Trace &trace) {
  const trace::SiteTable &sites = trace.sites;
  std::set<trace::Index> accessed;
  for (const trace::SiteCount &row : trace.counts) {
    if (row.warpAccesses == 0)
      continue;
    const std::optional<trace::Index> found = trace::findSite(sites, row.site);
    if (!found)
      continue;
    const trace::Site &site = sites.sites[*found];
    if (site.group != trace::kNone)
      accessed.insert(site.group);
    else
      for (trace::Index group = 0; group < sites.groups.size(); ++group)
        if (sites.groups[group].record == site.record)
          accessed.insert(group);
  }
  return accessed;
}

} // namespace

UnexecutedChanges unexecutedChanges(const analysis::Plan &plan, const trace::Trace &trace) {
  const std::set<trace::Index> accessed = accessedGroups(trace);
  const trace::SiteTable &sites = trace.sites;
  UnexecutedChanges unexecuted{.areAll = true};
  for (trace::Index group = 0; group < sites.groups.size(); ++group) {
    const trace::Group &known = sites.groups[group];
    const auto decision =
        std::ranges::find_if(plan.decisions, [&](const analysis::Decision &candidate) {
          return candidate.record == sites.records[known.record].name &&
                 candidate.arrays == known.arrays;
        });
    if (decision == plan.decisions.end() || decision->keep)
      continue;
    if (accessed.contains(group))
      unexecuted.areAll = false;
    else
      unexecuted.arrays.push_back(
          fmt::format("'{}' around '{}'", decision->record, known.arrays.front()));
  }
  unexecuted.areAll &= !unexecuted.arrays.empty();
  return unexecuted;
}

} // namespace relayout::tool
