// SPDX-License-Identifier: Apache-2.0
// Facts of sites from the site table.
#include "replay/stream/site_facts.h"

namespace relayout::analysis {
namespace {

/// How often an access is executed in what a compiler schedules together: in the iterations of
/// the innermost loop, and of those around it as far as nothing is left of the inner ones.
std::uint32_t scheduledTogether(const trace::SiteTable &sites, const ProgramCode &code,
                                trace::Index loop) {
  std::uint32_t together = 1;
  for (; loop != trace::kNone; loop = sites.loops[loop].parent) {
    const LoopCode &row = code.loops[loop];
    if (row.unrolled == 0)
      return 0;
    together *= row.unrolled;
    if (!row.isUnrolledWhole)
      return together;
  }
  return 0;
}

/// Sets the group. An array that the source does not tell belongs to the record's group if there is
/// only one.
void findGroup(const trace::SiteTable &sites, const trace::Site &site, SiteFacts &facts) {
  facts.group = site.group;
  if (site.group != trace::kNone)
    return;
  for (trace::Index g = 0; g < sites.groups.size(); ++g)
    if (sites.groups[g].record == site.record) {
      facts.isOfSeveralGroups = facts.group != trace::kNone;
      facts.group = g;
      if (facts.isOfSeveralGroups)
        break;
    }
  if (facts.isOfSeveralGroups)
    facts.group = trace::kNone;
}

SiteFacts factsOf(const trace::SiteTable &sites, const trace::Site &site,
                  const std::vector<RecordLeaves> &leavesOfRecords) {
  SiteFacts facts;
  facts.record = site.record;
  facts.kind = site.kind;
  facts.divideBy(kFixedWordBytes);
  if (site.record == trace::kNone)
    return facts;
  facts.recordBytes = sites.records[site.record].bytes;
  const RecordLeaves &leaves = leavesOfRecords[site.record];
  if (leaves.leaves.empty())
    return facts;
  findGroup(sites, site, facts);
  return facts.group == trace::kNone ? facts
                                     : inGroup(facts, sites, facts.group, site.field, leaves);
}

} // namespace

SiteFacts inGroup(const SiteFacts &known, const trace::SiteTable &sites, trace::Index group,
                  trace::Index field, const RecordLeaves &leaves) {
  SiteFacts facts = known;
  facts.group = group;
  facts.isOfSeveralGroups = false;
  facts.range = nullptr;
  const trace::Record &record = sites.records[sites.groups[group].record];
  facts.record = sites.groups[group].record;
  facts.recordBytes = record.bytes;
  facts.divideBy(record.bytes);
  facts.field = field;
  if (field == trace::kNone) {
    facts.leaves = leaves.all();
    facts.fieldBytes = record.bytes;
    return facts;
  }
  const trace::Field &accessed = record.fields[field];
  facts.leaves = std::uint64_t{1} << leaves.firstOfField[field];
  facts.fieldOffset = accessed.offset;
  facts.fieldBytes = accessed.bytes;
  facts.count = accessed.pieces();
  facts.laneBytes = accessed.bytes / facts.count;
  facts.split = leaves.isSplit(field);
  return facts;
}

std::vector<SiteFacts> siteFacts(const trace::SiteTable &sites, const ProgramCode &code,
                                 const std::vector<RecordLeaves> &leaves) {
  std::vector<SiteFacts> facts;
  for (std::size_t i = 0; i < sites.sites.size(); ++i) {
    facts.push_back(factsOf(sites, sites.sites[i], leaves));
    facts.back().region = code.regions[i];
    facts.back().together = scheduledTogether(sites, code, sites.sites[i].loop);
  }
  return facts;
}

} // namespace relayout::analysis
