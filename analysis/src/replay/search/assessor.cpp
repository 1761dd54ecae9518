// SPDX-License-Identifier: Apache-2.0
// Evaluates candidates and compares them with the source.
#include "replay/search/assessor.h"

#include "relayout/analysis/gpu/fit.h"
#include "relayout/base/run_parallel.h"
#include "replay/search/conversion.h"
#include "replay/search/known_extents.h"
#include "replay/search/partition.h"
#include "replay/stream/hot_atomics.h"
#include "replay/stream/scale_of.h"
#include "replay/stream/walks.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <mutex>

namespace relayout::analysis {
namespace {

/// Of a kernel; what is not sampled of others is divided by it.
constexpr double kLeastSampled = 1e-9;

/// Those that use one of the groups.
std::vector<const KernelSample *> kernelsOf(const ReplaySample &sample,
                                            const std::set<trace::Index> &groups) {
  std::vector<const KernelSample *> kernels;
  for (const KernelSample &kernel : sample.kernels)
    if (std::ranges::any_of(groups,
                            [&kernel](trace::Index group) { return kernel.usesGroup[group]; }))
      kernels.push_back(&kernel);
  return kernels;
}

/// What the ratio of a layout is off by, beside what binds the kernels. One struct touches the
/// lines of the source, at any size; planes have a locality of their own. Of an order of elements
/// it is not known whether the program can name coordinates, and what the compiler makes of views.
double errorOfKind(const Layout &layout, bool isExtrapolated) {
  double error = layout.order.isAsNumbered() ? 0 : fit::kErrorOfOrders;
  if (isExtrapolated && layout.clusters.size() > 1)
    error = std::max(error, fit::kErrorOfExtrapolation);
  return error;
}

/// The loop of a walk, or of its remainder after unrolling, which has fewer loads.
const MachineLoop *walkingLoop(const CompiledVersion &version, const std::string &kernel) {
  const auto known = version.kernels.find(kernel);
  if (known == version.kernels.end() || known->second.loops.empty())
    return nullptr;
  return &*std::ranges::max_element(known->second.loops, {}, &MachineLoop::loadedBytes);
}

double floatsOf(const MachineLoop &loop) {
  using Kind = MachineInstruction::Kind;
  return static_cast<double>(loop.count(Kind::Float) + loop.count(Kind::Double));
}

/// By version; none where it is not clear how the loops belong to each other. The source's loads
/// tell how often it is unrolled, arithmetic, which layouts do not change, the others.
std::vector<CompiledWalk> walksOf(const WalkFacts &facts, const std::string &kernel,
                                  const std::vector<CompiledVersion> &versions) {
  std::vector<CompiledWalk> walks;
  for (const CompiledVersion &version : versions) {
    const MachineLoop *const loop = walkingLoop(version, kernel);
    if (loop == nullptr)
      return {};
    const MachineLoop &source = walks.empty() ? *loop : *walks.front().loop;
    const double unrolled =
        std::max(std::round(static_cast<double>(source.loadedBytes()) / facts.loadedBytes), 1.0);
    const double times = floatsOf(*loop) / std::max(floatsOf(source), 1.0);
    if (std::abs(times * unrolled - std::round(times * unrolled)) > fit::kNotWhole ||
        std::round(times * unrolled) < 1)
      return {};
    walks.push_back({loop, std::round(times * unrolled)});
  }
  return walks;
}

/// What the kernel waits for pages of managed memory, in every layout.
double migrationNs(const ReplaySample &sample, const KernelSample &kernel) {
  return static_cast<double>(kernel.migratedBytes) * sample.run.elements / fit::kMigratedBytesPerNs;
}

} // namespace

struct Assessor::Glance {
  double ns = 0;
  double launchNs = 0;
  Work work;
  Resource bound = Resource::Issue;
  double errorOfMachineCode = 0; ///< see KernelTime
};

void Assessor::trust(const ReplaySample &sample, const std::vector<CompiledVersion> &versions) {
  compiled_ = &versions;
  for (const KernelSample &kernel : sample.kernels)
    if (const auto facts = walkOf(*trace_, sample, kernel))
      if (auto walks = walksOf(*facts, trace_->kernels[kernel.kernel], versions); !walks.empty())
        walks_[trace_->kernels[kernel.kernel]] = std::move(walks);
}

bool Assessor::knowsWalkOf(const ReplaySample &sample, trace::Index group) const {
  return std::ranges::any_of(sample.kernels, [&](const KernelSample &kernel) {
    return kernel.usesGroup[group] && walks_.contains(trace_->kernels[kernel.kernel]);
  });
}

double Assessor::otherNs(const ReplaySample &sample, const KernelSample &kernel) const {
  if (unexplainedNs_[kernel.kernel])
    return *unexplainedNs_[kernel.kernel] * sample.run.elements * sample.run.launches;
  return migrationNs(sample, kernel);
}

double Assessor::otherNs(const SizedSample &size, const KernelSample &kernel) const {
  // As with launches: at the traced size pages take most of the time, and tell nothing of layouts.
  if (size.footprint == Footprint::Traced)
    return 0;
  return size.isOfOtherRun ? migrationNs(size.sample, kernel) : otherNs(size.sample, kernel);
}

const CompiledVersion *Assessor::compiledWith(trace::Index group,
                                              const std::optional<Layout> &layout) const {
  const CompiledVersion *nearest = nullptr;
  std::size_t most = 0;
  for (const CompiledVersion &version : *compiled_) {
    std::size_t alike = 1;
    for (trace::Index other = 0; other < chosen_.size(); ++other)
      alike += version.layouts[other] == chosen_[other] ? 1 : 0;
    if (version.layouts[group] == layout && alike > most) {
      nearest = &version;
      most = alike;
    }
  }
  return nearest;
}

std::optional<KernelScale> Assessor::compiledScale(const trace::Trace &trace,
                                                   const KernelSample &kernel, trace::Index group,
                                                   const std::optional<Layout> &layout) const {
  if (compiled_ == nullptr || group == trace::kNone)
    return std::nullopt;
  if (const CompiledVersion *const version = compiledWith(group, layout))
    if (const auto known = version->kernels.find(trace.kernels[kernel.kernel]);
        known != version->kernels.end()) {
      KernelScale scale =
          withRegisters(kernel.scale, trace, kernel.kernel, *machine_, known->second.registers);
      if (const auto walks = walks_.find(known->first); walks != walks_.end())
        scale.walk = walks->second[static_cast<std::size_t>(version - compiled_->data())];
      return scale;
    }
  return std::nullopt;
}

std::optional<KernelScale> Assessor::compiledScale(const trace::Trace &trace,
                                                   const KernelSample &kernel,
                                                   const std::set<trace::Index> &groups,
                                                   const Trial &trial) const {
  if (groups.size() != 1)
    return std::nullopt;
  return compiledScale(trace, kernel, *groups.begin(),
                       trial.empty() ? std::nullopt : std::optional(trial.begin()->second));
}

std::string Assessor::spillingKernel(trace::Index group,
                                     const std::optional<Layout> &layout) const {
  if (compiled_ == nullptr)
    return {};
  const CompiledVersion *const version = compiledWith(group, layout);
  if (version == nullptr)
    return {};
  const CompiledKernels &source = compiled_->front().kernels;
  for (const auto &[name, kernel] : version->kernels)
    if (const auto before = source.find(name);
        before != source.end() && kernel.spillBytes > before->second.spillBytes)
      return name;
  return {};
}

std::optional<Layout> Assessor::inRunOf(const SizedSample &size, trace::Index group,
                                        const Layout &layout) {
  if (!size.isOfOtherRun || layout.order.isAsNumbered())
    return layout;
  std::optional<ElementOrder> order =
      KnownExtents(*size.trace, size.sample, group).inThisRun(layout.order);
  if (!order)
    return std::nullopt;
  Layout there = layout;
  there.order = std::move(*order);
  return there;
}

Assessor::Trial Assessor::inRunOf(const SizedSample &size, const Trial &trial) {
  Trial there;
  for (const auto &[group, layout] : trial)
    if (std::optional<Layout> known = inRunOf(size, group, layout))
      there.emplace(group, std::move(*known));
  return there;
}

double Assessor::conversionNs(const SizedSample &size, const Trial &trial) const {
  double ns = 0;
  for (const auto &[group, layout] : trial) {
    const trace::SiteTable &sites = size.trace->sites;
    if (hasBytesOf(layout, sites.records[sites.groups[group].record]))
      continue; // its copies stay copies
    ns += analysis::conversionNs(hostCopies(*size.trace, size.sample, group), *machine_);
  }
  return ns;
}

Result<void> Assessor::compareWithMeasured(const ReplaySample &sample,
                                           const std::map<std::string, double> &measuredNs) {
  for (const KernelSample &kernel : sample.kernels) {
    const auto measured = measuredNs.find(trace_->kernels[kernel.kernel]);
    if (measured == measuredNs.end())
      continue;
    const Result<KernelEvaluation> now = evaluate(sample, kernel, trace::kNone, nullptr);
    if (!now)
      return tl::unexpected(now.error());
    const double factor = sample.run.elements * sample.run.launches;
    unexplainedNs_[kernel.kernel] = otherWorkNs(now->time, measured->second * factor) / factor;
  }
  return {};
}

Result<KernelEvaluation> Assessor::evaluate(const ReplaySample &sample, const KernelSample &kernel,
                                            trace::Index group, const Layout *layout) const {
  std::vector<const Layout *> layouts;
  for (const std::optional<Layout> &chosen : chosen_)
    layouts.push_back(chosen ? &*chosen : nullptr);
  if (group != trace::kNone)
    layouts[group] = layout;
  const std::optional<KernelScale> scale = compiledScale(
      *trace_, kernel, group, layout != nullptr ? std::optional(*layout) : std::nullopt);
  return evaluateKernel(*trace_, sample, kernel, layouts, *machine_, otherNs(sample, kernel),
                        scale ? &*scale : nullptr);
}

Result<double> Assessor::weightOf(const ReplaySample &sample, trace::Index group) const {
  double ns = 0;
  for (const KernelSample *kernel : kernelsOf(sample, {group})) {
    const Result<KernelEvaluation> now = evaluate(sample, *kernel, trace::kNone, nullptr);
    if (!now)
      return tl::unexpected(now.error());
    ns += now->time.totalNs;
  }
  return ns;
}

Result<std::vector<Assessor::Glance>>
Assessor::glance(const SizedSample &size, const std::vector<const KernelSample *> &kernels,
                 const std::set<trace::Index> &groups, const std::vector<Trial> &tried,
                 const std::vector<Trial> &asCompiled) const {
  std::vector<std::optional<Layout>> given(chosen_.size());
  for (trace::Index other = 0; other < chosen_.size(); ++other)
    if (chosen_[other] && !groups.contains(other))
      given[other] = inRunOf(size, other, *chosen_[other]);
  std::vector<Glance> glances(tried.size() * kernels.size());
  std::optional<Error> failure;
  std::mutex mutex;
  runParallel(glances.size(), threads_, [&](std::size_t job) {
    std::vector<const Layout *> layouts;
    for (const std::optional<Layout> &layout : given)
      layouts.push_back(layout ? &*layout : nullptr);
    for (const auto &[group, layout] : tried[job / kernels.size()])
      layouts[group] = &layout;
    const KernelSample &kernel = *kernels[job % kernels.size()];
    const std::optional<KernelScale> scale =
        compiledScale(*size.trace, kernel, groups, asCompiled[job / kernels.size()]);
    const Result<KernelEvaluation> evaluation =
        evaluateKernel(*size.trace, size.sample, kernel, layouts, *machine_, otherNs(size, kernel),
                       scale ? &*scale : nullptr);
    if (evaluation) {
      const KernelTime &time = evaluation->time;
      glances[job] = {time.totalNs,
                      time.launchNs,
                      {std::max(time.issueNs, time.arithmeticNs), time.l1Ns,
                       time.l2ReadNs + time.l2WriteNs, time.dramNs, time.latencyNs},
                      bindingResource(time),
                      time.errorOfMachineCode};
      return;
    }
    const std::scoped_lock lock(mutex);
    failure = evaluation.error();
  });
  if (failure)
    return tl::unexpected(*failure);
  return glances;
}

Result<std::vector<Candidate>> Assessor::assessAt(const SizedSample &size,
                                                  const std::set<trace::Index> &groups,
                                                  const std::vector<Trial> &trials) const {
  const ReplaySample &sample = size.sample;
  const std::vector<const KernelSample *> kernels = kernelsOf(sample, groups);
  std::vector<Trial> there;
  for (const Trial &trial : trials)
    there.push_back(inRunOf(size, trial));
  const Result<std::vector<Glance>> glances = glance(size, kernels, groups, there, trials);
  if (!glances)
    return tl::unexpected(glances.error());
  std::vector<bool> isHot, isAtomic;
  for (const KernelSample *kernel : kernels) {
    isHot.push_back(hasHotAtomics(*size.trace, sample, *kernel, groups) ||
                    (sample.run.elements != 1 && hasScatteredAtomics(sample, *kernel, groups)));
    isAtomic.push_back(hasAtomics(sample, *kernel, groups));
  }
  std::vector<Candidate> candidates;
  double sourceNs = 0;
  double sourceRank = 0;
  bool isLaunchBound = false;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    Candidate candidate;
    candidate.isSource = trials[i].empty();
    if (!trials[i].empty()) {
      candidate.layout = trials[i].begin()->second;
      candidate.conversionNs = conversionNs(size, trials[i]);
      if (groups.size() == 1)
        candidate.spillsIn = spillingKernel(*groups.begin(), candidate.layout);
    }
    double error = 0;
    double weight = 0;
    double compiledWeight = 0;
    double launchNs = 0;
    Work work;
    for (std::size_t k = 0; k < kernels.size(); ++k) {
      const Glance &source = (*glances)[k];
      const Glance &now = (*glances)[i * kernels.size() + k];
      const double other = otherNs(size, *kernels[k]);
      candidate.kernelNs += now.ns;
      candidate.otherNs += other;
      work += now.work;
      launchNs += now.launchNs;
      // What was not sampled may take as much more time as there is of it, in either layout.
      const double unsampled =
          kernels[k]->unsampled / std::max(1 - kernels[k]->unsampled, kLeastSampled);
      const bool areCompiled = source.errorOfMachineCode > 0 && now.errorOfMachineCode > 0;
      double ofRatio = areCompiled ? std::max(source.errorOfMachineCode, now.errorOfMachineCode)
                                   : ratioError(source.bound, now.bound);
      // Atomics that meet wait for each other: what makes them slower may do so by more.
      if (isHot[k] || (isAtomic[k] && now.ns > fit::kSlowerAtomics * source.ns))
        ofRatio = fit::kErrorOfHotAtomics;
      compiledWeight += areCompiled ? source.ns : 0;
      error += (source.ns - other) * (machine_->errorFactor() * ofRatio + unsampled);
      weight += source.ns;
    }
    candidate.error = candidate.isSource || weight <= 0 ? 0 : error / weight;
    if (size.footprint == Footprint::Asked || size.footprint == Footprint::Itself)
      candidate.error += errorOfKind(candidate.layout, sample.run.elements != 1);
    // At the traced size launches take most of the time, and tell nothing of layouts.
    const double total = candidate.totalNs() - (size.footprint == Footprint::Traced ? launchNs : 0);
    // Work of memory that other work is taken to hide still counts between layouts that are alike:
    // what binds a kernel is less sure than what it moves.
    const double rank = total + fit::kHiddenCounts * (work.l1Ns + work.l2Ns + work.dramNs);
    if (i == 0) {
      sourceNs = total;
      sourceRank = rank;
      const double runningNs = candidate.kernelNs - launchNs;
      isLaunchBound = runningNs < launchNs;
    }
    // Layouts that change have it in common: it counts against the source alone.
    const double ofConversions =
        candidate.conversionNs > 0
            ? fit::kErrorOfConversions * candidate.conversionNs / candidate.totalNs()
            : 0;
    const bool isKnown = !kernels.empty() && there[i].size() == trials[i].size();
    if (isKnown || !size.isOfOtherRun)
      candidate.sizes = {{size.footprint, sourceNs > 0 ? total / sourceNs : 1,
                          candidate.error + ofConversions, sourceRank > 0 ? rank / sourceRank : 1,
                          size.isOfOtherRun, isLaunchBound, 2 * compiledWeight > weight, work}};
    candidates.push_back(std::move(candidate));
  }
  return candidates;
}

Result<std::vector<Candidate>> Assessor::assess(const std::vector<SizedSample> &sizes,
                                                const std::set<trace::Index> &groups,
                                                const std::vector<Trial> &trials) const {
  Result<std::vector<Candidate>> candidates = assessAt(sizes.front(), groups, trials);
  for (std::size_t s = 1; candidates && s < sizes.size(); ++s) {
    Result<std::vector<Candidate>> others = assessAt(sizes[s], groups, trials);
    if (!others)
      return others;
    for (std::size_t i = 0; i < trials.size(); ++i)
      std::ranges::copy((*others)[i].sizes, std::back_inserter((*candidates)[i].sizes));
  }
  return candidates;
}

} // namespace relayout::analysis
