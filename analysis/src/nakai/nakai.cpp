// SPDX-License-Identifier: Apache-2.0
// Policy nakai as a whole: a trace in, a plan and the numbers behind it out.
#include "relayout/analysis/nakai/nakai.h"

#include "relayout/analysis/nakai/clustering.h"
#include "relayout/trace/reader.h"
#include "report/text_table.h"

#include <fmt/format.h>

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

void keepAsIs(GroupAnalysis &group, const std::vector<LayoutField> &fields, std::string reason) {
  group.decision.keep = true;
  group.decision.layout = fields.empty() ? Layout{} : aos(fields);
  group.decision.reason = std::move(reason);
}

/// Picks the layout from the sum of weights and says why.
void choose(GroupAnalysis &group, const std::vector<SiteRow> &rows,
            const std::vector<LayoutField> &fields) {
  if (group.rows.empty())
    return keepAsIs(group, fields, "no kernel executed an access to it");
  const bool observed = std::ranges::any_of(
      group.rows, [&rows](std::size_t row) { return rows[row].evidence != Evidence::None; });
  if (!observed)
    return keepAsIs(group, fields, "no address of its accesses was recorded");
  if (group.weightSum == 0)
    return keepAsIs(group, fields, "the weights sum to 0, which speaks for neither AoS nor SoA");
  if (fields.size() <= 1)
    return keepAsIs(group, fields, "with a single field AoS and SoA are the same");

  if (group.weightSum < 0) {
    group.decision.layout = soa(fields);
    group.decision.reason = fmt::format(
        "the weights sum to {}, below 0: SoA, as warps mostly read neighbouring elements",
        signedNumber(group.weightSum));
    return;
  }
  group.decision.layout = clusteredAos(group.mergedAcross, fields);
  const std::size_t clusters = group.decision.layout.clusters.size();
  group.decision.reason = fmt::format(
      "the weights sum to {}, above 0: AoS, as warps mostly read scattered or shared elements; {}",
      signedNumber(group.weightSum),
      clusters == 1 ? "the access tree puts all fields into one aligned struct"
                    : fmt::format("the access tree parts the fields into {} structs", clusters));
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
  choose(result, rows, fields);
  return result;
}

/// Sizes an element, and drops a change that would change nothing.
Result<void> settle(GroupAnalysis &group, const trace::Record &record) {
  const std::vector<LayoutField> fields = layoutFields(record);
  const Result<AddressFunction> bound = AddressFunction::bind(group.decision.layout, fields, 1);
  if (!bound)
    return tl::unexpected(bound.error());
  if (!group.decision.keep && isSourceLayout(*bound, group.decision.layout, record))
    keepAsIs(group, fields, group.decision.reason + ", which the source has already");
  group.elementBytes = group.decision.keep ? group.recordBytes : 0;
  for (std::uint32_t c = 0; c < group.decision.layout.clusters.size() && !group.decision.keep; ++c)
    group.elementBytes += bound->clusterBytes(c);
  return {};
}

} // namespace

Result<NakaiAnalysis> analyzeNakai(trace::Trace trace, const AccessSource &accesses) {
  if (!trace.complete)
    return fail(Code::IncompleteTrace,
                "the trace is incomplete: the traced program did not end in order");
  const Result<Observations> observations = observe(trace, accesses);
  if (!observations)
    return tl::unexpected(observations.error());

  NakaiAnalysis analysis;
  analysis.rows = weighSites(trace, *observations);
  if (analysis.rows.empty())
    return fail(Code::NoRecordAccessed,
                "no kernel of the traced run accessed a record in device memory, so "
                "there is no layout to choose");
  if (observations->empty())
    return fail(Code::NoAddresses,
                "the trace holds counts but not one address, and policy nakai classifies "
                "by addresses; trace again with RELAYOUT_TRACE_MODE=sampled or full");

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
    if (trace.sites.sites[i].record != trace::kNone && !executed.contains(i))
      analysis.neverExecuted.push_back(i);

  analysis.plan.sourceFile = trace.sites.sourceFile;
  analysis.plan.sourceDigest = trace.sites.sourceDigest;
  analysis.plan.policy = "nakai";
  for (trace::Index i = 0; i < trace.sites.groups.size(); ++i) {
    GroupAnalysis group = analyzeGroup(trace, analysis.rows, i);
    const trace::Record &record = trace.sites.records[trace.sites.groups[i].record];
    if (const Result<void> settled = settle(group, record); !settled)
      return tl::unexpected(settled.error());
    analysis.plan.decisions.push_back(group.decision);
    analysis.groups.push_back(std::move(group));
  }
  analysis.trace = std::move(trace);
  return analysis;
}

Result<NakaiAnalysis> analyzeNakai(const std::string &traceFile) {
  Result<trace::Trace> trace = trace::readTrace(traceFile);
  if (!trace)
    return tl::unexpected(trace.error());
  if (const Result<void> complete = trace::requireComplete(*trace, traceFile); !complete)
    return tl::unexpected(complete.error());
  return analyzeNakai(std::move(*trace), [&traceFile](const auto &callback) {
    return trace::forEachAccess(traceFile, callback);
  });
}

} // namespace relayout::analysis
