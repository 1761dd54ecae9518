// SPDX-License-Identifier: Apache-2.0
// Compares the decisions of a plan with the accesses that a trace counts.
#include "stages/executed_changes.h"

#include "relayout/analysis/replay/stream/allocation_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
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

/// Adds those of the groups whose arrays a recorded access lies in: instances of one template share
/// its sites, which count for one of them.
void addGroupsAt(const trace::TraceHandle &trace, std::set<trace::Index> missing,
                 std::set<trace::Index> &accessed) {
  if (std::ranges::none_of(trace->allocations, [&](const trace::Allocation &allocation) {
        return missing.contains(allocation.group);
      }))
    return;
  const analysis::AllocationMap allocations(trace->allocations);
  // Fails for no trace that was read: the groups would count as not accessed.
  (void)trace.accesses()([&](const trace::WarpAccess &access) {
    const auto *range =
        access.activeMask == 0
            ? nullptr
            : allocations.find(access.addresses[std::countr_zero(access.activeMask)]);
    if (range && missing.erase(range->group) != 0)
      accessed.insert(range->group);
    return !missing.empty();
  });
}

} // namespace

UnexecutedChanges unexecutedChanges(const analysis::Plan &plan, const trace::TraceHandle &trace) {
  const trace::SiteTable &sites = trace->sites;
  std::map<trace::Index, const analysis::Decision *> changed;
  for (trace::Index group = 0; group < sites.groups.size(); ++group) {
    const trace::Group &known = sites.groups[group];
    const auto decision =
        std::ranges::find_if(plan.decisions, [&](const analysis::Decision &candidate) {
          return candidate.record == sites.records[known.record].name &&
                 candidate.arrays == known.arrays;
        });
    if (decision != plan.decisions.end() && !decision->keep)
      changed.emplace(group, &*decision);
  }
  std::set<trace::Index> accessed = accessedGroups(*trace), missing;
  for (const auto &[group, decision] : changed)
    if (!accessed.contains(group))
      missing.insert(group);
  addGroupsAt(trace, missing, accessed);
  UnexecutedChanges unexecuted{.areAll = true};
  for (const auto &[group, decision] : changed)
    if (accessed.contains(group))
      unexecuted.areAll = false;
    else
      unexecuted.arrays.push_back(
          fmt::format("'{}' around '{}'", decision->record, sites.groups[group].arrays.front()));
  unexecuted.areAll &= !unexecuted.arrays.empty();
  return unexecuted;
}

} // namespace relayout::tool
