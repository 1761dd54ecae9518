// SPDX-License-Identifier: Apache-2.0
// What policy replay predicts, as text for a terminal.
#include "relayout/analysis/report/replay_report.h"

#include "relayout/analysis/gpu/fit.h"
#include "relayout/analysis/report/replay_plan.h"
#include "replay/search/candidates.h"
#include "report/replay_terms.h"
#include "report/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace relayout::analysis {
namespace {

constexpr std::size_t kShownCandidates = 5;
constexpr std::size_t kCandidateWidth = 48;
constexpr std::size_t kKernelWidth = 20;
constexpr double kUnsampledShown = 0.005;

std::string nameOf(const Candidate &candidate, const std::vector<LayoutField> &fields) {
  return candidate.isSource ? "original" : describe(candidate.layout, fields);
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 1; }

std::string change(double before, double after) { return scaled(before) + " -> " + scaled(after); }

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
  const std::size_t others = group.candidates.size() - 1;
  text += wrapped(fmt::format("Best of {} candidate{} plus standard layouts, pre-screened on a "
                              "subset of the trace",
                              grouped(others), others == 1 ? "" : "s"),
                  2, kReportWidth);
  text += table.render(4);
}

double ratioAsTraced(const Candidate &candidate) {
  const auto traced =
      std::ranges::find(candidate.sizes, Footprint::Traced, &SizeOutcome::footprint);
  return traced == candidate.sizes.end() ? 1 : traced->ratio;
}

/// What machine code says of runs as small as the traced one, where another layout is faster there.
void renderSmallRuns(const ReplayAnalysis &analysis, const GroupReplay &group, std::string &text) {
  if (std::ranges::none_of(group.kernels, [](const KernelOutcome &outcome) {
        return outcome.before.time.errorOfMachineCode > 0;
      }))
    return;
  const auto chosen = std::ranges::find_if(
      group.candidates, [&](const Candidate &candidate) { return isChosen(group, candidate); });
  const auto best = std::ranges::min_element(group.candidates, {}, ratioAsTraced);
  if (chosen == group.candidates.end() ||
      ratioAsTraced(*best) > (1 - fit::kErrorOfMachineCode) * ratioAsTraced(*chosen))
    return;
  text += wrapped(
      fmt::format("In runs as small as the traced one {} would take {:.2f} of the source's time, "
                  "the choice {:.2f}; --scale 1 decides for them",
                  nameOf(*best, fieldsOf(analysis, group)), ratioAsTraced(*best),
                  ratioAsTraced(*chosen)),
      4, kReportWidth);
}

/// Of a kernel's time, what is the same in every layout.
std::string otherWork(const ReplayAnalysis &analysis, trace::Index kernel, const KernelTime &time) {
  const std::string &name = analysis.trace->kernels[kernel];
  if (analysis.trace->machine.kind != "gpu")
    return fmt::format("'{}' waits {} of {} ms for pages of managed memory, in every layout", name,
                       milliseconds(time.otherNs, time.totalNs),
                       milliseconds(time.totalNs, time.totalNs));
  return fmt::format(
      "'{}' was measured: of {} ms the model explains {}; the rest is taken to stay in "
      "every layout",
      name, milliseconds(time.totalNs, time.totalNs),
      milliseconds(time.totalNs - time.otherNs, time.totalNs));
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
    const std::string name = shortenedAmong(analysis.trace->kernels, outcome.kernel, kKernelWidth);
    const KernelTime &before = outcome.before.time;
    const KernelTime &after = outcome.after.time;
    times.addRow({name, milliseconds(before.totalNs, longest), milliseconds(after.totalNs, longest),
                  fmt::format("{:.3f}", ratio(after.totalNs, before.totalNs)),
                  bindingName(before) + " -> " + bindingName(after)});
    const KernelVolume &was = outcome.before.volume;
    const KernelVolume &is = outcome.after.volume;
    volumes.addRow({name, change(l1Sectors(was), l1Sectors(is)),
                    change(l2Sectors(was), l2Sectors(is)), change(dramBytes(was), dramBytes(is))});
  }
  text += '\n';
  text += wrapped(fmt::format("Kernels, all launches together, with the {}: {}",
                              group.decision.keep ? "best other layout" : "choice",
                              describe(group.best.layout, fieldsOf(analysis, group))),
                  2, kReportWidth);
  text += times.render(4) + "\n" + volumes.render(4);
  for (const KernelOutcome &outcome : group.kernels)
    if (const KernelTime &before = outcome.before.time; before.otherNs > 0)
      text += wrapped(otherWork(analysis, outcome.kernel, before), 4, kReportWidth);
  renderSmallRuns(analysis, group, text);
  if (!group.decision.lowConfidence.empty()) {
    text += wrapped("Low confidence: " + describe(group.decision.lowConfidence), 4, kReportWidth);
    text += "    Decide on the machine with the GPU: relayout optimize … --on gpu\n";
  }
}

/// Of a program that copies every step: what converting costs against what kernels gain by it.
void renderRepeatedCopies(const GroupReplay &group, std::string &text) {
  const HostCopies &copies = group.hostCopies;
  if (!copies.areRepeated || group.best.conversionNs <= 0)
    return;
  const std::string place =
      copies.place.empty()
          ? std::string()
          : ", most often at " + copies.place.substr(copies.place.find_last_of('/') + 1);
  const double gain = group.source.kernelNs - group.best.kernelNs;
  const double cost = group.best.conversionNs;
  const double larger = std::max(gain, cost);
  const std::string against =
      gain > 0 ? fmt::format("for {} ms that kernels gain", milliseconds(gain, larger))
               : std::string("and kernels gain nothing");
  text +=
      wrapped(fmt::format("Repeated copies: the host copies these arrays {} times in the traced "
                          "run{}. The {} converts {}B in the predicted run, which takes {} ms, {}; "
                          "fewer or smaller copies would cost less",
                          grouped(copies.count), place,
                          group.decision.keep ? "best other layout" : "choice",
                          scaled(copies.convertedBytes), milliseconds(cost, larger), against),
              4, kReportWidth);
}

void renderGroup(const ReplayAnalysis &analysis, const GroupReplay &group, std::string &text) {
  const trace::Group &arrays = analysis.trace->sites.groups[group.group];
  const std::string heading =
      wrapped(fmt::format("{} ({} B), arrays {}{}", group.decision.record,
                          analysis.trace->sites.records[arrays.record].bytes,
                          fmt::join(group.decision.arrays, ", "),
                          arrays.isShared ? ", in shared memory" : ""),
              0, kReportWidth);
  text += "\n" + heading + std::string(std::min(heading.find('\n'), kReportWidth), '-') + "\n";
  if (wasSearched(group)) {
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

/// One field, and nothing to try: a line for all of them is enough.
bool isLeftAside(const GroupReplay &group) {
  return group.decision.fields.size() == 1 &&
         (group.verdict == Verdict::SingleField || group.verdict == Verdict::UnknownExtents ||
          group.verdict == Verdict::NoRecordedAddresses);
}

/// A line for those of which `why` is true.
void renderLeftAside(const ReplayAnalysis &analysis, bool areApart, const char *why,
                     std::string &text) {
  std::string names;
  for (const GroupReplay &group : analysis.groups)
    if (isLeftAside(group) && (group.verdict == Verdict::UnknownExtents) == areApart) {
      const std::vector<std::string> &arrays = group.decision.arrays; // one, by all its names
      names +=
          fmt::format("{}{} {}", names.empty() ? "" : "; ", group.decision.record, arrays.front());
      if (arrays.size() > 1)
        names += fmt::format(" ({} names)", arrays.size());
    }
  if (!names.empty())
    text += '\n' + wrapped(fmt::format("Original, as {}: {}", why, names), 0, kReportWidth);
}

} // namespace

std::string renderReplayReport(const ReplayAnalysis &analysis) {
  std::string text;
  renderHeader(analysis, text);
  for (const GroupReplay &group : analysis.groups)
    if (!isLeftAside(group))
      renderGroup(analysis, group, text);
  renderLeftAside(analysis, false,
                  "no order of elements would bring the lanes of a warp closer together", text);
  renderLeftAside(
      analysis, true,
      "lanes stand apart, but the extents of an order that would bring them together "
      "are not all visible where the array is allocated (as in "
      "'cudaMalloc(&p, rows * columns * sizeof(float))'), or differ between allocations",
      text);
  text += '\n';
  text += wrapped(fmt::format("Every time is predicted for {}, not measured; the arithmetic "
                              "around the accesses is estimated from the source. interval: 67 % "
                              "prediction interval; a layout is chosen only if all of it is below "
                              "1 (where several gain together, of the one for all), and of "
                              "near-equal ones the plainest. conversion: at the host's copies.",
                              describe(analysis.machine)),
                  0, kReportWidth);
  return text;
}

} // namespace relayout::analysis
