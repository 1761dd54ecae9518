// SPDX-License-Identifier: Apache-2.0
// Policy nakai as a whole: from observations to a decision for every group.
#include "relayout/analysis/nakai/nakai.h"

#include "no_record_accessed.h"
#include "relayout/analysis/nakai/clustering.h"

#include <algorithm>
#include <set>

namespace relayout::analysis {
namespace {

/// Whether the layout puts every field where the source's own array of structs has it.
bool isSourceLayout(const AddressFunction &bound, const Layout &layout,
                    const trace::Record &record) {
  if (layout.clusters.size() != 1 || bound.clusterBytes(0) != record.bytes ||
      bound.clusterAlignment(0) != record.alignment)
    return false;
  for (std::uint32_t field = 0; field < record.fields.size(); ++field)
    if (bound.offsetInCluster(field) != record.fields[field].offset)
      return false;
  return true;
}

void keep(GroupAnalysis &group, const std::vector<LayoutField> &fields, NakaiVerdict verdict) {
  group.verdict = verdict;
  group.decision.keep = true;
  group.decision.layout = fields.empty() ? Layout{} : aos(fields);
}

/// Picks the layout from the sum of weights.
void choose(GroupAnalysis &group, const std::vector<SiteRow> &rows,
            const std::vector<LayoutField> &fields) {
  if (group.rows.empty())
    return keep(group, fields, NakaiVerdict::NotAccessed);
  const bool observed = std::ranges::any_of(
      group.rows, [&rows](std::size_t row) { return rows[row].evidence != Evidence::None; });
  if (!observed)
    return keep(group, fields, NakaiVerdict::NoRecordedAddresses);
  if (group.weightSum == 0)
    return keep(group, fields, NakaiVerdict::WeightsCancel);
  if (fields.size() <= 1)
    return keep(group, fields, NakaiVerdict::SingleField);
  group.verdict = group.weightSum < 0 ? NakaiVerdict::Soa : NakaiVerdict::Clustered;
  group.decision.layout =
      group.weightSum < 0 ? soa(fields) : clusteredAos(group.mergedAcross, fields);
  group.chosen = group.decision.layout;
}

GroupAnalysis analyzeGroup(const trace::Trace &trace, const std::vector<SiteRow> &rows,
                           trace::Index index) {
  const trace::Group &group = trace.sites.groups[index];
  const trace::Record &record = trace.sites.records[group.record];
  const std::vector<LayoutField> fields = layoutFields(record);

  GroupAnalysis result;
  result.group = index;
  result.recordBytes = record.bytes;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const trace::Site &site = trace.sites.sites[rows[i].site];
    const bool unknownArray = site.group == trace::kNone && site.record == group.record;
    if (site.group != index && !unknownArray)
      continue;
    result.rows.push_back(i);
    result.sharedRows += unknownArray ? 1 : 0;
    result.weightSum += rows[i].weight;
  }
  result.tree =
      buildAccessTree(trace, rows, result.rows, static_cast<std::uint32_t>(record.fields.size()));
  result.mergedWithin = mergeWithinKernels(result.tree);
  result.mergedAcross = mergeAcrossKernels(result.mergedWithin, fields);

  result.decision.record = record.name;
  result.decision.arrays = group.arrays;
  for (const LayoutField &field : fields)
    result.decision.fields.push_back(field.name);
  if (group.isShared)
    keep(result, fields, NakaiVerdict::SharedMemory);
  else
    choose(result, rows, fields);
  return result;
}

/// Sizes an element, and drops a change that would change nothing.
Result<void> settle(GroupAnalysis &group, const trace::Record &record) {
  const std::vector<LayoutField> fields = layoutFields(record);
  const Result<AddressFunction> bound = AddressFunction::bind(group.decision.layout, fields, 1);
  if (!bound)
    return tl::unexpected(bound.error());
  group.isSourceAlready =
      !group.decision.keep && isSourceLayout(*bound, group.decision.layout, record);
  if (group.isSourceAlready)
    keep(group, fields, group.verdict);
  group.elementBytes = group.decision.keep ? group.recordBytes : 0;
  for (std::uint32_t c = 0; c < group.decision.layout.clusters.size() && !group.decision.keep; ++c)
    group.elementBytes += bound->clusterBytes(c);
  return {};
}

} // namespace

Result<NakaiAnalysis> analyzeNakai(const trace::TraceHandle &handle) {
  if (const Result<void> complete = handle.requireComplete(); !complete)
    return tl::unexpected(complete.error());
  const trace::Trace &trace = *handle;
  const Result<Observations> observations = observe(trace, handle.accesses());
  if (!observations)
    return tl::unexpected(observations.error());

  NakaiAnalysis analysis{handle, {}, {}, {}, {}};
  analysis.rows = weighSites(trace, *observations);
  if (analysis.rows.empty())
    return noRecordAccessed(trace);
  if (observations->empty())
    return fail(Code::NoAddresses,
                "the trace holds counts but not one address, and policy nakai classifies "
                "by addresses; trace again with --trace full (RELAYOUT_TRACE_MODE=full)");

  std::set<trace::Index> executed;
  for (std::size_t i = 0; i < analysis.rows.size(); ++i) {
    executed.insert(analysis.rows[i].site);
    const trace::Site &site = trace.sites.sites[analysis.rows[i].site];
    if (site.group == trace::kNone &&
        std::ranges::find(trace.sites.groups, site.record, &trace::Group::record) ==
            trace.sites.groups.end())
      analysis.unattributed.push_back(i);
  }
  for (trace::Index i = 0; i < trace.sites.sites.size(); ++i)
    if (trace.sites.sites[i].record != trace::kNone && !executed.contains(i) &&
        !trace::isInSharedMemory(trace.sites, trace.sites.sites[i].group))
      analysis.neverExecuted.push_back(i);

  for (trace::Index i = 0; i < trace.sites.groups.size(); ++i) {
    GroupAnalysis group = analyzeGroup(trace, analysis.rows, i);
    const trace::Record &record = trace.sites.records[trace.sites.groups[i].record];
    if (const Result<void> settled = settle(group, record); !settled)
      return tl::unexpected(settled.error());
    analysis.groups.push_back(std::move(group));
  }
  return analysis;
}

} // namespace relayout::analysis
