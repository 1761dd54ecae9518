// SPDX-License-Identifier: Apache-2.0
// What policy replay predicts, as JSON for programs.
#include "relayout/analysis/report/replay_report.h"

#include "layout/layout_json.h"
#include "relayout/analysis/report/replay_plan.h"
#include "replay/cost/site_traffic.h"
#include "report/replay_terms.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace relayout::analysis {
namespace {

using Json = nlohmann::ordered_json;

Json lawJson(const GrowthLaw &law) {
  Json kernels = Json::array();
  for (const auto &[name, kernel] : law.kernels) {
    const auto [low, high] = powersOfAccesses(kernel);
    kernels.push_back({{"kernel", name},
                       {"launches", kernel.launches},
                       {"blocks", kernel.blocks},
                       {"arithmetic", kernel.arithmetic},
                       {"accesses", {low, high}}});
  }
  return {{"timesTheElements", law.elements}, {"powers", std::move(kernels)}};
}

Json compiledJson(const std::vector<CompiledVersion> &versions) {
  Json json = Json::array();
  for (const CompiledVersion &version : versions) {
    Json kernels = Json::object();
    for (const auto &[name, kernel] : version.kernels)
      kernels[name] = {{"registers", kernel.registers}, {"spillBytes", kernel.spillBytes}};
    json.push_back({{"version", version.name}, {"kernels", std::move(kernels)}});
  }
  return json;
}

Json layoutJson(const Layout &layout, const std::vector<LayoutField> &fields) {
  std::vector<std::string> names;
  for (const LayoutField &field : fields)
    names.push_back(field.name);
  Json json{{"name", describe(layout, fields)}};
  json.update(toJson(layout, names));
  return json;
}

Json candidateJson(const Candidate &candidate, const std::vector<LayoutField> &fields) {
  Json sizes = Json::array();
  for (const SizeOutcome &size : candidate.sizes)
    sizes.push_back({{"size", nameOf(size)}, {"ratio", size.ratio}, {"error", size.error}});
  return {{"layout", candidate.isSource ? Json(nullptr) : layoutJson(candidate.layout, fields)},
          {"kernelNs", candidate.kernelNs},
          {"conversionNs", candidate.conversionNs},
          {"totalNs", candidate.totalNs()},
          {"error", candidate.error},
          {"sizes", std::move(sizes)}};
}

Json evaluationJson(const KernelEvaluation &evaluation) {
  const KernelTime &time = evaluation.time;
  const KernelVolume &volume = evaluation.volume;
  return {{"totalNs", time.totalNs},
          {"boundBy", bindingName(time)},
          {"issueNs", time.issueNs},
          {"arithmeticNs", time.arithmeticNs},
          {"l1Ns", time.l1Ns},
          {"l2Ns", time.l2ReadNs + time.l2WriteNs},
          {"dramNs", time.dramNs},
          {"blockStartNs", time.startNs},
          {"latencyNs", time.latencyNs},
          {"launchNs", time.launchNs},
          {"otherNs", time.otherNs},
          {"l1Sectors", l1Sectors(volume)},
          {"l2Sectors", l2Sectors(volume)},
          {"dramBytes", dramBytes(volume)}};
}

Json trafficJson(const SiteTraffic &traffic) {
  return {{"instructions", traffic.instructions},
          {"usedBytes", traffic.usedBytes},
          {"sectors", traffic.sectors},
          {"movedBytes", traffic.movedBytes}};
}

/// "sim.cu:41:8 read of mass", without the file's folder.
std::string siteName(const trace::SiteTable &sites, const trace::Site &site) {
  const std::string field = site.field == trace::kNone
                                ? "the record"
                                : sites.records[site.record].fields[site.field].name;
  return fmt::format("{}:{}:{} {} of {}",
                     site.place.file.substr(site.place.file.find_last_of('/') + 1), site.place.line,
                     site.place.column, trace::accessKindName(site.kind), field);
}

/// The group's sites in one kernel, with each of the three layouts.
Json sitesJson(const ReplayAnalysis &analysis, const GroupReplay &group,
               const KernelOutcome &outcome) {
  const trace::SiteTable &sites = analysis.trace->sites;
  const auto sample =
      std::ranges::find(analysis.sample.kernels, outcome.kernel, &KernelSample::kernel);
  const auto traffic = [&](const KernelEvaluation &evaluation) {
    return siteTraffic(sites, analysis.sample.stream.kernels[outcome.kernel], evaluation.counts,
                       sample->scale);
  };
  const auto before = traffic(outcome.before);
  const auto after = traffic(outcome.after);
  const auto runnerUp = traffic(outcome.runnerUp);
  Json rows = Json::array();
  for (const auto &[index, now] : before) {
    const trace::Site &site = sites.sites[index];
    if (site.record != sites.groups[group.group].record ||
        (site.group != trace::kNone && site.group != group.group))
      continue;
    rows.push_back({{"site", siteName(sites, site)},
                    {"before", trafficJson(now)},
                    {"after", trafficJson(after.at(index))},
                    {"runnerUp", trafficJson(runnerUp.at(index))}});
  }
  return rows;
}

Json groupJson(const ReplayAnalysis &analysis, const GroupReplay &group) {
  const std::vector<LayoutField> fields = fieldsOf(analysis, group);
  Json candidates = Json::array();
  for (const Candidate &candidate : group.candidates)
    candidates.push_back(candidateJson(candidate, fields));
  Json kernels = Json::array();
  for (const KernelOutcome &outcome : group.kernels)
    kernels.push_back({{"kernel", analysis.trace->kernels[outcome.kernel]},
                       {"before", evaluationJson(outcome.before)},
                       {"after", evaluationJson(outcome.after)},
                       {"runnerUp", evaluationJson(outcome.runnerUp)},
                       {"sites", sitesJson(analysis, group, outcome)}});
  return {{"record", group.decision.record},
          {"arrays", group.decision.arrays},
          {"isShared", analysis.trace->sites.groups[group.group].isShared},
          {"convertedBytes", group.hostCopies.convertedBytes},
          {"hostCopies",
           {{"count", group.hostCopies.count},
            {"place", group.hostCopies.place},
            {"repeated", group.hostCopies.areRepeated}}},
          {"source", wasSearched(group) ? candidateJson(group.source, fields) : Json(nullptr)},
          {"best", wasSearched(group) ? candidateJson(group.best, fields) : Json(nullptr)},
          {"runnerUp", wasSearched(group) ? candidateJson(group.runnerUp, fields) : Json(nullptr)},
          {"candidates", std::move(candidates)},
          {"kernels", std::move(kernels)},
          {"keep", group.decision.keep},
          {"layout", layoutJson(group.decision.layout, fields)},
          {"reason", reasonOf(analysis, group)},
          {"lowConfidence", toJson(group.decision.lowConfidence)}};
}

} // namespace

std::string replayReportJson(const ReplayAnalysis &analysis) {
  const trace::Trace &trace = *analysis.trace;
  Json json{{"format", "relayout-replay-report"},
            {"version", 1},
            {"policy", "replay"},
            {"sourceFile", trace.sites.sourceFile},
            {"sourceDigest", trace.sites.sourceDigest},
            {"command", trace.command},
            {"predictedFor", analysis.machine.name},
            {"calibrated", analysis.machine.isCalibrated},
            {"architecture", analysis.machine.architecture.isKnown
                                 ? Json(analysis.machine.architecture.name)
                                 : Json(nullptr)},
            {"reservations", reservationsAbout(analysis.machine)},
            {"timesTheElements", analysis.sample.run.elements},
            {"timesTheLaunches", analysis.sample.run.launches},
            {"scaledWith", analysis.otherRun ? Json(analysis.otherRun->command) : Json(nullptr)},
            {"growth", analysis.otherRun && analysis.otherRun->law
                           ? lawJson(*analysis.otherRun->law)
                           : Json(nullptr)},
            {"compiled", compiledJson(analysis.compiled)},
            {"accessesMapped", analysis.sample.stream.mapped},
            {"accessesNotMapped", analysis.sample.stream.unmapped}};
  Json &groups = json["groups"] = Json::array();
  for (const GroupReplay &group : analysis.groups)
    groups.push_back(groupJson(analysis, group));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace relayout::analysis
