// SPDX-License-Identifier: Apache-2.0
// What policy replay predicts, as text for a terminal and as JSON for programs.
#include "relayout/analysis/report/replay_report.h"

#include "layout/layout_json.h"
#include "relayout/analysis/report/replay_plan.h"
#include "replay/cost/site_traffic.h"
#include "replay/search/candidates.h"
#include "report/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <set>

namespace relayout::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kShownCandidates = 5;
constexpr std::size_t kCandidateWidth = 48;
constexpr std::size_t kKernelWidth = 20;
constexpr double kUnsampledShown = 0.005;

std::vector<LayoutField> fieldsOf(const ReplayAnalysis &analysis, const GroupReplay &group) {
  const trace::Index record = analysis.trace->sites.groups[group.group].record;
  return layoutFields(analysis.trace->sites.records[record]);
}

std::string nameOf(const Candidate &candidate, const std::vector<LayoutField> &fields) {
  return candidate.isSource ? "original" : describe(candidate.layout, fields);
}

/// No kernel of the group was replayed, or there is nothing to choose between.
bool searched(const GroupReplay &group) { return !group.candidates.empty(); }

double ratio(double part, double whole) { return whole > 0 ? part / whole : 1; }

std::string bindingName(const KernelTime &time) { return resourceName(bindingResource(time)); }

std::string change(double before, double after) { return scaled(before) + " -> " + scaled(after); }

double dramBytes(const KernelVolume &volume) {
  return volume.dramReadBytes + volume.dramWriteBytes;
}

double sectors(const KernelVolume &volume) { return volume.readSectors + volume.writeSectors; }

double l2Sectors(const KernelVolume &volume) {
  return volume.l2ReadSectors() + volume.l2WriteSectors;
}

/// The lowest and the highest power with which accesses of a launch grow.
std::pair<double, double> powersOfAccesses(const KernelLaw &law) {
  if (law.accesses.empty())
    return {1, 1};
  const auto [low, high] =
      std::ranges::minmax_element(law.accesses, {}, [](const auto &site) { return site.second; });
  return {low->second, high->second};
}

/// What grows in another way than the elements.
void renderLaw(const GrowthLaw &law, std::string &text) {
  std::string kernels;
  for (const auto &[name, kernel] : law.kernels) {
    const auto [low, high] = powersOfAccesses(kernel);
    if (kernel.blocks == 1 && low == 1 && high == 1)
      continue;
    kernels += fmt::format("{}'{}' accesses {:.2g}", kernels.empty() ? "" : "; ", name, low);
    if (high != low)
      kernels += fmt::format(" to {:.2g}", high);
    kernels += fmt::format(", blocks {:.2g}", kernel.blocks);
  }
  text += wrapped(
      kernels.empty()
          ? fmt::format("accesses and blocks of every launch grow in proportion to the elements "
                        "(the other run has {:.3g}x as many)",
                        law.elements)
          : fmt::format("powers of the elements with which launches grow (the other run has "
                        "{:.3g}x as many): {}; all others 1",
                        law.elements, kernels),
      2, kReportWidth);
}

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

/// Registers of each kernel in each version.
void renderCompiled(const ReplayAnalysis &analysis, std::string &text) {
  std::vector<std::string> names;
  for (const CompiledVersion &version : analysis.compiled)
    names.push_back(version.name);
  std::vector<std::string> kernels;
  for (const std::string &kernel : analysis.trace->kernels) {
    std::vector<std::string> ofVersions;
    for (const CompiledVersion &version : analysis.compiled)
      if (const auto known = version.kernels.find(kernel); known != version.kernels.end())
        ofVersions.push_back(known->second.spillBytes == 0
                                 ? fmt::format("{}", known->second.registers)
                                 : fmt::format("{} and {} B spilled", known->second.registers,
                                               known->second.spillBytes));
    if (!ofVersions.empty())
      kernels.push_back(fmt::format("'{}' {}", kernel, fmt::join(ofVersions, ", ")));
  }
  text += wrapped(fmt::format("compiled by nvcc: registers of a thread as {}: {}",
                              fmt::join(names, ", "), fmt::join(kernels, "; ")),
                  2, kReportWidth);
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

void renderHeader(const ReplayAnalysis &analysis, std::string &text) {
  const trace::Trace &trace = *analysis.trace;
  text += fmt::format("Layout analysis of {}, policy replay\n",
                      trace.sites.sourceFile.empty() ? "a program" : trace.sites.sourceFile);
  if (!trace.command.empty())
    text += fmt::format("  run       {}\n", trace.command);
  text += fmt::format("  traced on {} {}\n", trace.machine.kind, trace.machine.name);
  text += fmt::format("  model of  {}: times are predictions for it, not measurements\n",
                      analysis.machine.name);
  for (const std::string &reservation : reservationsAbout(analysis.machine))
    text += wrapped(fmt::format("less sure, errors are taken to be {:g} times as wide: {}",
                                analysis.machine.errorFactor(), reservation),
                    2, kReportWidth);
  if (const RunScale &run = analysis.sample.run; run.elements != 1 || run.launches != 1)
    text += wrapped(fmt::format("extrapolated to {:g}x the elements and blocks and {:g}x the "
                                "launches of the traced run (--scale, --repeat)",
                                run.elements, run.launches),
                    2, kReportWidth);
  if (analysis.otherRun)
    text += wrapped(fmt::format("and for the same size, from the run '{}' extrapolated to {:.3g}x "
                                "the elements and {:.3g}x the launches (--scale-with)",
                                analysis.otherRun->command, analysis.otherRun->run.elements,
                                analysis.otherRun->run.launches),
                    2, kReportWidth);
  if (analysis.otherRun && analysis.otherRun->law)
    renderLaw(*analysis.otherRun->law, text);
  if (!analysis.compiled.empty())
    renderCompiled(analysis, text);
  text += fmt::format("  launches  {}; blocks {}, of which {} sampled\n",
                      grouped(trace.launchesExecuted), grouped(trace.blocksExecuted),
                      grouped(trace.blocksSampled));
  text += fmt::format(
      "  replayed  {} warp accesses attributed to an array and field; {} unattributed\n",
      grouped(analysis.sample.stream.mapped), grouped(analysis.sample.stream.unmapped));
  for (trace::Index kernel = 0; kernel < trace.kernels.size(); ++kernel)
    if (const double unsampled = unsampledPart(trace, kernel); unsampled >= kUnsampledShown)
      text +=
          wrapped(fmt::format("unsampled: {:.0f} % of the warp accesses of '{}' are at sites of "
                              "which no address was recorded; predictions leave them out, and "
                              "their intervals are wider (trace with a larger --max-bytes)",
                              100 * unsampled, trace.kernels[kernel]),
                  2, kReportWidth);
}

bool isChosen(const GroupReplay &group, const Candidate &candidate) {
  return candidate.isSource ? group.decision.keep
                            : !group.decision.keep && candidate.layout == group.decision.layout;
}

/// What a programmer would ask about: SoA, and the record with a wider alignment.
bool isStandard(const Layout &layout) {
  const bool isSoa = layout.clusters.size() > 1 &&
                     std::ranges::all_of(layout.clusters, [](const Cluster &cluster) {
                       return cluster.fields.size() == 1 && !cluster.exploded;
                     });
  const bool isAligned = layout.clusters.size() == 1 && layout.clusters[0].alignment != 0 &&
                         std::ranges::is_sorted(layout.clusters[0].fields);
  return layout.tile == 0 && layout.padBytes == 0 && (isSoa || isAligned);
}

std::string toSource(const Candidate &candidate, double sourceNs) {
  return fmt::format("{:.3f}", ratio(candidate.totalNs(), sourceNs));
}

/// The fastest of those that split the fields alike or take as long, as far as the digits tell, for
/// the fastest few; the choice, the source and the standard ones wherever they rank. The fastest
/// first.
std::vector<const Candidate *> shownCandidates(const GroupReplay &group, double sourceNs) {
  const auto shownAnyway = [&group](const Candidate &candidate) {
    return candidate.isSource || isChosen(group, candidate) || isStandard(candidate.layout);
  };
  std::vector<const Candidate *> shown;
  std::vector<const Layout *> split{&group.decision.layout};
  std::set<std::string> times;
  for (const Candidate &candidate : group.candidates) {
    const Layout &layout = candidate.layout;
    if (!shownAnyway(candidate)) {
      if (split.size() > kShownCandidates || times.contains(toSource(candidate, sourceNs)) ||
          std::ranges::any_of(
              split, [&layout](const Layout *other) { return splitsAlike(layout, *other); }))
        continue;
      split.push_back(&layout);
    }
    times.insert(toSource(candidate, sourceNs));
    shown.push_back(&candidate);
  }
  std::ranges::stable_sort(shown, {}, &Candidate::totalNs);
  return shown;
}

void renderCandidates(const ReplayAnalysis &analysis, const GroupReplay &group, std::string &text) {
  using Align = TextTable::Align;
  const std::vector<LayoutField> fields = fieldsOf(analysis, group);
  TextTable table({{"layout", Align::Left},
                   {"total ms", Align::Right},
                   {"conversion", Align::Right},
                   {"to source", Align::Right},
                   {"interval", Align::Right},
                   {"", Align::Left}});
  const auto source = std::ranges::find_if(group.candidates, &Candidate::isSource);
  const double now = source == group.candidates.end() ? group.source.totalNs() : source->totalNs();
  for (const Candidate *candidate : shownCandidates(group, now)) {
    const double part = ratio(candidate->totalNs(), now);
    table.addRow({shortened(nameOf(*candidate, fields), kCandidateWidth),
                  milliseconds(candidate->totalNs(), now),
                  milliseconds(candidate->conversionNs, now), toSource(*candidate, now),
                  candidate->isSource ? "-"
                                      : fmt::format("{:.3f}-{:.3f}", part * (1 - candidate->error),
                                                    part * (1 + candidate->error)),
                  isChosen(group, *candidate) ? "chosen" : ""});
  }
  text += wrapped(fmt::format("Best of {} candidates plus standard layouts, pre-screened on a "
                              "subset of the trace",
                              grouped(group.candidates.size() - 1)),
                  2, kReportWidth);
  text += table.render(4);
}

void renderKernels(const ReplayAnalysis &analysis, const GroupReplay &group, std::string &text) {
  using Align = TextTable::Align;
  TextTable times({{"kernel", Align::Left},
                   {"source ms", Align::Right},
                   {"new ms", Align::Right},
                   {"ratio", Align::Right},
                   {"bound by", Align::Left}});
  TextTable volumes({{"kernel", Align::Left},
                     {"L1 sectors", Align::Left},
                     {"L2 sectors", Align::Left},
                     {"DRAM bytes", Align::Left}});
  double longest = 0;
  for (const KernelOutcome &outcome : group.kernels)
    longest = std::max({longest, outcome.before.time.totalNs, outcome.after.time.totalNs});
  for (const KernelOutcome &outcome : group.kernels) {
    const std::string name = shortened(analysis.trace->kernels[outcome.kernel], kKernelWidth);
    const KernelTime &before = outcome.before.time;
    const KernelTime &after = outcome.after.time;
    times.addRow({name, milliseconds(before.totalNs, longest), milliseconds(after.totalNs, longest),
                  fmt::format("{:.3f}", ratio(after.totalNs, before.totalNs)),
                  bindingName(before) + " -> " + bindingName(after)});
    const KernelVolume &was = outcome.before.volume;
    const KernelVolume &is = outcome.after.volume;
    volumes.addRow({name, change(sectors(was), sectors(is)), change(l2Sectors(was), l2Sectors(is)),
                    change(dramBytes(was), dramBytes(is))});
  }
  text += '\n';
  text += wrapped(fmt::format("Kernels, all launches together, with the {}: {}",
                              group.decision.keep ? "best other layout" : "choice",
                              describe(group.best.layout, fieldsOf(analysis, group))),
                  2, kReportWidth);
  text += times.render(4) + "\n" + volumes.render(4);
  for (const KernelOutcome &outcome : group.kernels)
    if (const KernelTime &before = outcome.before.time; before.otherNs > 0)
      text += wrapped(fmt::format("'{}' was measured: of {} ms the model explains {}; the rest is "
                                  "taken to stay in every layout",
                                  analysis.trace->kernels[outcome.kernel],
                                  milliseconds(before.totalNs, before.totalNs),
                                  milliseconds(before.totalNs - before.otherNs, before.totalNs)),
                      4, kReportWidth);
  if (!group.decision.lowConfidence.empty()) {
    text += wrapped("Low confidence: " + describe(group.decision.lowConfidence), 4, kReportWidth);
    text += "    Decide on the machine with the GPU: relayout optimize … --on gpu\n";
  }
}

/// Of a program that copies every step: what converting costs against what kernels gain by it.
void renderRepeatedCopies(const GroupReplay &group, std::string &text) {
  const HostCopies &copies = group.hostCopies;
  if (!copies.areRepeated)
    return;
  const std::string place =
      copies.place.empty()
          ? std::string()
          : ", most often at " + copies.place.substr(copies.place.find_last_of('/') + 1);
  const double gain = group.source.kernelNs - group.best.kernelNs;
  const double cost = group.best.conversionNs;
  const double larger = std::max(gain, cost);
  const std::string against =
      gain > 0 ? fmt::format("of the {} ms that kernels gain", milliseconds(gain, larger))
               : std::string("and kernels gain nothing");
  text +=
      wrapped(fmt::format("Repeated copies: the host copies these arrays {} times in the traced "
                          "run{}. The {} converts {}B in the predicted run, {} ms {}; fewer or "
                          "smaller copies would cost less",
                          grouped(copies.count), place,
                          group.decision.keep ? "best other layout" : "choice",
                          scaled(copies.convertedBytes), milliseconds(cost, larger), against),
              4, kReportWidth);
}

void renderGroup(const ReplayAnalysis &analysis, const GroupReplay &group, std::string &text) {
  const trace::Index record = analysis.trace->sites.groups[group.group].record;
  const std::string heading = wrapped(fmt::format("{} ({} B), arrays {}", group.decision.record,
                                                  analysis.trace->sites.records[record].bytes,
                                                  fmt::join(group.decision.arrays, ", ")),
                                      0, kReportWidth);
  text += "\n" + heading + std::string(std::min(heading.find('\n'), kReportWidth), '-') + "\n";
  if (searched(group)) {
    renderCandidates(analysis, group, text);
    renderKernels(analysis, group, text);
    renderRepeatedCopies(group, text);
    text += "\n";
  }
  text += wrapped(group.decision.keep
                      ? "Chosen: original (not rewritten)"
                      : "Chosen: " + describe(group.decision.layout, fieldsOf(analysis, group)),
                  2, kReportWidth);
  text += wrapped("Reason: " + reasonOf(analysis, group), 4, kReportWidth);
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
          {"l1Sectors", sectors(volume)},
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
          {"convertedBytes", group.hostCopies.convertedBytes},
          {"hostCopies",
           {{"count", group.hostCopies.count},
            {"place", group.hostCopies.place},
            {"repeated", group.hostCopies.areRepeated}}},
          {"source", searched(group) ? candidateJson(group.source, fields) : Json(nullptr)},
          {"best", searched(group) ? candidateJson(group.best, fields) : Json(nullptr)},
          {"runnerUp", searched(group) ? candidateJson(group.runnerUp, fields) : Json(nullptr)},
          {"candidates", std::move(candidates)},
          {"kernels", std::move(kernels)},
          {"keep", group.decision.keep},
          {"layout", layoutJson(group.decision.layout, fields)},
          {"reason", reasonOf(analysis, group)},
          {"lowConfidence", toJson(group.decision.lowConfidence)}};
}

/// One field, and nothing to try: a line for all of them is enough.
bool isLeftAside(const GroupReplay &group) {
  return group.decision.fields.size() == 1 &&
         (group.verdict == Verdict::SingleField || group.verdict == Verdict::NoRecordedAddresses);
}

void renderLeftAside(const ReplayAnalysis &analysis, std::string &text) {
  std::string names;
  for (const GroupReplay &group : analysis.groups)
    if (isLeftAside(group))
      names += fmt::format("{}{} {}", names.empty() ? "" : "; ", group.decision.record,
                           fmt::join(group.decision.arrays, ", "));
  if (!names.empty())
    text += '\n' + wrapped("Original, as no order of elements would bring the lanes of a warp "
                           "closer together: " +
                               names,
                           0, kReportWidth);
}

} // namespace

std::string renderReplayReport(const ReplayAnalysis &analysis) {
  std::string text;
  renderHeader(analysis, text);
  for (const GroupReplay &group : analysis.groups)
    if (!isLeftAside(group))
      renderGroup(analysis, group, text);
  renderLeftAside(analysis, text);
  text += '\n';
  text += wrapped(fmt::format("Every time is predicted for {}, not measured; the arithmetic "
                              "around the accesses is estimated from the source. interval: 67 % "
                              "prediction interval; a layout is chosen only if all of it is below "
                              "1, and of near-equal ones the plainest. conversion: at the host's "
                              "copies.",
                              describe(analysis.machine)),
                  0, kReportWidth);
  return text;
}

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
