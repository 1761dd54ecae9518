// SPDX-License-Identifier: Apache-2.0
// Policy replay's table of contents: from a trace to a decision for every array group.
//
//   stream/   recorded warp accesses become bundles of fields of elements; a sample is kept
//   memory/   where arrays lie under a layout; lines, caches, granules
//   sm/       bundles become instructions, and warps share one SM
//   cost/     counts become volumes of the whole run, and volumes become time
//   search/   candidate layouts, each replayed and timed, and the choice among them
//
// Every folder includes only those above it. The report of what is decided is in report/.
#include "relayout/analysis/replay/replay.h"

#include "no_record_accessed.h"
#include "relayout/analysis/replay/stream/measured_times.h"
#include "replay/search/group_decision.h"
#include "replay/search/joint_orders.h"
#include "replay/search/low_confidence.h"
#include "replay/stream/all_pairs.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

namespace relayout::analysis {
namespace {

/// Policy replay replays addresses of records.
Result<void> requireRecords(const trace::TraceHandle &trace) {
  if (const Result<void> complete = trace.requireComplete(); !complete)
    return complete;
  const bool ran = std::ranges::any_of(trace->counts, [&trace](const trace::SiteCount &row) {
    const auto site = trace::findSite(trace->sites, row.site);
    return site && trace->sites.sites[*site].record != trace::kNone;
  });
  if (!ran)
    return noRecordAccessed(*trace);
  return {};
}

/// An extrapolated run whose kernels look at all pairs does so at its size, too.
/// \param isSizeFree  it may be smaller: such runs have few elements
ReplaySample withPairs(const trace::Trace &trace, ReplaySample sample, const Machine &machine,
                       bool isSizeFree) {
  if (sample.run.elements == 1)
    return sample;
  const AllPairs pairs = allPairsOf(trace, sample, machine);
  if (pairs.law.kernels.empty())
    return sample;
  RunScale run = sample.run;
  if (isSizeFree) {
    run.elements = std::min(run.elements, std::ceil(pairs.mostElements));
    run.elementsThatFill = pairs.elementsThatFill;
  }
  return rescaled(trace, sample, machine, withLaw(run, pairs.law));
}

Result<ReplaySample> sampleOf(const trace::TraceHandle &trace, const Machine &machine,
                              const ReplayOptions &options) {
  SampleOptions sampling{options.maxBundles, runScale(*trace, machine, options.scale)};
  sampling.run.tracedMayBeReal &= !options.otherRun.has_value();
  Result<ReplaySample> sample = collectSample(*trace, trace.accesses(), machine, sampling);
  if (sample && sample->stream.mapped == 0 && sample->stream.unmapped != 0)
    return fail(Code::NoRecordAccessed,
                "no access of the traced run is known to lie in an array of records or numbers: "
                "their pointers are casts of others, or their memory is of an allocation that does "
                "not tell what it holds, so there is no layout to choose");
  if (sample && sample->stream.mapped == 0)
    return fail(Code::NoAddresses,
                "the trace holds counts but not one address, and policy replay replays "
                "addresses; trace again with --trace full (RELAYOUT_TRACE_MODE=full)");
  if (!sample)
    return sample;
  return withPairs(*trace, std::move(*sample), machine, /*isSizeFree=*/!sample->run.isAsked);
}

/// The run with other arguments, where there is one, scaled to the same size.
Result<std::optional<OtherRun>> otherRunOf(const trace::TraceHandle &trace,
                                           const ReplaySample &sample, const Machine &machine,
                                           const ReplayOptions &options) {
  if (!options.otherRun)
    return std::nullopt;
  const trace::TraceHandle &other = *options.otherRun;
  if (const Result<void> same = requireSameProgram(*trace, *other); !same)
    return tl::unexpected(same.error());
  if (const Result<void> usable = requireRecords(other); !usable)
    return tl::unexpected(usable.error());
  const Result<ReplaySample> traced =
      collectSample(*other, other.accesses(), machine, {options.maxBundles, {}});
  if (!traced)
    return tl::unexpected(traced.error());
  const double elements = elementsGrowth(*trace, sample, *other, *traced);
  ReplaySample scaled =
      rescaled(*other, *traced, machine, otherRunScale(*trace, sample.run, *other, elements));
  return OtherRun{other, withPairs(*other, std::move(scaled), machine, /*isSizeFree=*/false)};
}

std::map<std::string, double> measuredNs(const trace::TraceHandle &trace, const Machine &machine,
                                         const ReplayOptions &options) {
  if (!options.measuredNs.empty() || trace->machine.kind != "gpu" || trace.path().empty())
    return options.measuredNs;
  std::ifstream file(trace::reportBeside(trace.path()));
  std::stringstream report;
  report << file.rdbuf();
  return measuredKernelNs(report.str(), machine.name);
}

/// The groups whose kernels take longest first.
Result<std::vector<trace::Index>> byWeight(const trace::Trace &trace, const ReplaySample &sample,
                                           const Assessor &assessor) {
  std::vector<std::pair<double, trace::Index>> weighed;
  for (trace::Index group = 0; group < trace.sites.groups.size(); ++group) {
    const Result<double> weight = assessor.weightOf(sample, group);
    if (!weight)
      return tl::unexpected(weight.error());
    weighed.emplace_back(-*weight, group);
  }
  std::ranges::sort(weighed);
  std::vector<trace::Index> order;
  for (const auto &[weight, group] : weighed)
    order.push_back(group);
  return order;
}

bool isSizeKnown(const ReplaySample &sample, const ReplayOptions &options) {
  return sample.run.elements == 1 || options.scale.elements.has_value();
}

} // namespace

Result<ReplayAnalysis> analyzeReplay(const trace::TraceHandle &trace, const Machine &machine,
                                     const ReplayOptions &options) {
  if (const Result<void> usable = requireRecords(trace); !usable)
    return tl::unexpected(usable.error());
  Result<ReplaySample> sample = sampleOf(trace, machine, options);
  if (!sample)
    return tl::unexpected(sample.error());
  auto other = otherRunOf(trace, *sample, machine, options);
  if (!other)
    return tl::unexpected(other.error());
  std::optional<GrowthLaw> law;
  if (*other) {
    law = growthOf(*trace, *sample, *(*other)->trace, (*other)->sample);
    if (law) {
      sample->run.elementsThatFill = 0;
      *sample = rescaled(*trace, *sample, machine, withLaw(sample->run, *law));
      (*other)->sample = rescaled(*(*other)->trace, (*other)->sample, machine,
                                  withLaw((*other)->sample.run, *law));
    }
  }
  const SearchSamples samples =
      searchSamples(*trace, *sample, machine, *other ? &**other : nullptr);
  Assessor assessor(*trace, machine, options.threads);
  if (const auto compared =
          assessor.compareWithMeasured(*sample, measuredNs(trace, machine, options));
      !compared)
    return tl::unexpected(compared.error());
  const auto order = byWeight(*trace, samples.coarse.front().sample, assessor);
  if (!order)
    return tl::unexpected(order.error());

  ReplayAnalysis analysis{trace, machine, {}, {}, {}, {}};
  if (options.compiled != nullptr)
    analysis.compiled = options.compiled->versions;
  if (*other)
    analysis.otherRun = UsedRun{(*other)->trace->command, (*other)->sample.run, std::move(law)};
  analysis.groups.resize(trace->sites.groups.size());
  const SearchOptions searching{options.searchBundles, options.tiles, options.wholeArrays,
                                options.compiled, options.progress};
  if (options.compiled != nullptr)
    assessor.trust(*sample, options.compiled->versions);
  for (const trace::Index group : *order) {
    // Registers may speak against a change, and for another one, but not for one where estimates
    // found none; machine code may.
    const bool stays = options.compiled && options.compiled->earlier[group].decision.keep &&
                       !assessor.knowsWalkOf(*sample, group);
    Result<GroupReplay> decided = stays ? options.compiled->earlier[group]
                                        : decideGroup(*trace, samples, assessor, searching, group);
    if (!decided)
      return tl::unexpected(decided.error());
    if (!decided->decision.keep)
      assessor.choose(group, decided->decision.layout);
    analysis.groups[group] = std::move(*decided);
  }
  if (const Result<void> joint = decideTogether(samples, assessor, analysis.groups); !joint)
    return tl::unexpected(joint.error());
  for (GroupReplay &group : analysis.groups)
    group.decision.lowConfidence =
        lowConfidenceOf(*trace, *sample, machine, group, isSizeKnown(*sample, options),
                        options.compiled != nullptr);
  analysis.sample = std::move(*sample);
  return analysis;
}

Result<std::map<std::string, KernelTime>>
kernelTimes(const trace::TraceHandle &trace, const Machine &machine, const ReplayOptions &options) {
  if (const Result<void> usable = requireRecords(trace); !usable)
    return tl::unexpected(usable.error());
  const Result<ReplaySample> sample = sampleOf(trace, machine, options);
  if (!sample)
    return tl::unexpected(sample.error());
  const std::vector<const Layout *> asDeclared(trace->sites.groups.size());
  std::map<std::string, KernelTime> times;
  for (const KernelSample &kernel : sample->kernels) {
    const auto evaluated = evaluateKernel(*trace, *sample, kernel, asDeclared, machine);
    if (!evaluated)
      return tl::unexpected(evaluated.error());
    times[trace->kernels[kernel.kernel]] = evaluated->time;
  }
  return times;
}

} // namespace relayout::analysis
