// SPDX-License-Identifier: Apache-2.0
// What the analysis found, as JSON for programs.
#include "relayout/analysis/report/nakai_report.h"

#include "layout/layout_json.h"
#include "relayout/analysis/report/nakai_plan.h"
#include "report/nakai_terms.h"

namespace relayout::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json placeJson(const SourcePlace &place) {
  return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

const char *evidenceName(Evidence evidence) {
  switch (evidence) {
  case Evidence::Own:
    return "own";
  case Evidence::OtherKernels:
    return "other kernels";
  case Evidence::None:
    return "none";
  }
  return "unknown";
}

Json rowJson(const NakaiAnalysis &analysis, const SiteRow &row) {
  const trace::SiteTable &table = analysis.trace->sites;
  const trace::Site &site = table.sites[row.site];
  const trace::Record &record = table.records[site.record];
  return {
      {"site", site.id},
      {"place", placeJson(site.place)},
      {"kernel", analysis.trace->kernels[row.kernel]},
      {"loop", row.loop == trace::kNone ? Json(nullptr) : placeJson(table.loops[row.loop].place)},
      {"record", record.name},
      {"field", site.field == trace::kNone ? Json(nullptr) : Json(record.fields[site.field].name)},
      {"kind", trace::accessKindName(site.kind)},
      {"class", accessClassName(row.accessClass)},
      {"evidence", evidenceName(row.evidence)},
      {"coalescingThreads", row.averageThreads},
      {"sharingWarpAccesses", row.observation.sharing},
      {"warpAccesses", row.warpAccesses},
      {"laneAccesses", row.laneAccesses},
      {"recorded", row.recorded},
      {"dropped", row.warpAccesses - row.recorded},
      {"weight", row.weight}};
}

Json rowsJson(const NakaiAnalysis &analysis, const std::vector<std::size_t> &positions) {
  Json rows = Json::array();
  for (const std::size_t position : heaviestFirst(analysis.rows, positions))
    rows.push_back(rowJson(analysis, analysis.rows[position]));
  return rows;
}

Json nodeJson(const NakaiAnalysis &analysis, const LoopNode &node,
              const std::vector<std::string> &names) {
  Json places = Json::array();
  for (const TreePlace &place : node.places)
    places.push_back({{"kernel", place.kernel},
                      {"loop", place.loop == trace::kNone
                                   ? Json(nullptr)
                                   : placeJson(analysis.trace->sites.loops[place.loop].place)}});
  Json fields = Json::array();
  for (const std::uint32_t field : node.fields)
    fields.push_back(names[field]);
  return {{"places", std::move(places)}, {"count", node.count}, {"fields", std::move(fields)}};
}

Json treeJson(const NakaiAnalysis &analysis, const AccessTree &tree,
              const std::vector<std::string> &names) {
  Json kernels = Json::array();
  for (const KernelNode &kernel : tree.kernels) {
    Json loops = Json::array();
    for (const LoopNode &loop : kernel.loops)
      loops.push_back(nodeJson(analysis, loop, names));
    kernels.push_back({{"kernel", kernel.kernel}, {"loops", std::move(loops)}});
  }
  return kernels;
}

Json layoutJson(const NakaiAnalysis &analysis, const GroupAnalysis &group) {
  const Layout &layout = group.decision.layout;
  const trace::Index record = analysis.trace->sites.groups[group.group].record;
  Json json{{"name", describe(layout, layoutFields(analysis.trace->sites.records[record]))}};
  json.update(toJson(layout, group.decision.fields));
  json["elementBytes"] = group.elementBytes;
  return json;
}

Json groupJson(const NakaiAnalysis &analysis, const GroupAnalysis &group) {
  const std::vector<std::string> &names = group.decision.fields;
  Json across = Json::array();
  for (const LoopNode &node : group.mergedAcross)
    across.push_back(nodeJson(analysis, node, names));
  return {{"record", group.decision.record},
          {"recordBytes", group.recordBytes},
          {"arrays", group.decision.arrays},
          {"sites", rowsJson(analysis, group.rows)},
          {"sitesOfUnknownArray", group.sharedRows},
          {"weightSum", group.weightSum},
          {"tree", treeJson(analysis, group.tree, names)},
          {"mergedWithinKernels", treeJson(analysis, group.mergedWithin, names)},
          {"mergedAcrossKernels", std::move(across)},
          {"keep", group.decision.keep},
          {"layout", layoutJson(analysis, group)},
          {"reason", reasonOf(group)}};
}

} // namespace

std::string reportJson(const NakaiAnalysis &analysis) {
  const trace::Trace &trace = *analysis.trace;
  Json json{{"format", "relayout-report"},
            {"version", 1},
            {"policy", "nakai"},
            {"sourceFile", trace.sites.sourceFile},
            {"sourceDigest", trace.sites.sourceDigest},
            {"command", trace.command},
            {"machine", {{"kind", trace.machine.kind}, {"name", trace.machine.name}}},
            {"launchesExecuted", trace.launchesExecuted},
            {"blocksExecuted", trace.blocksExecuted},
            {"blocksSampled", trace.blocksSampled}};
  Json &groups = json["groups"] = Json::array();
  for (const GroupAnalysis &group : analysis.groups)
    groups.push_back(groupJson(analysis, group));
  json["unattributedSites"] = rowsJson(analysis, analysis.unattributed);
  Json &never = json["sitesNeverExecuted"] = Json::array();
  for (const trace::Index site : analysis.neverExecuted)
    never.push_back({{"site", trace.sites.sites[site].id},
                     {"place", placeJson(trace.sites.sites[site].place)},
                     {"access", subject(trace.sites, trace.sites.sites[site])}});
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace relayout::analysis
