// SPDX-License-Identifier: Apache-2.0
// Sentences on decisions.
#include "relayout/analysis/report/replay_plan.h"

#include "report/text_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>

namespace relayout::analysis {
namespace {

/// Of a time: gains and losses are printed with one decimal of a per cent.
constexpr double kSmallestPart = 0.0005;

std::string percent(double part) {
  return part < kSmallestPart ? "less than 0.1 %" : fmt::format("{:.1f} %", 100 * part);
}

std::string nameOf(const ReplayAnalysis &analysis, const GroupReplay &group,
                   const Candidate &candidate) {
  const trace::SiteTable &sites = analysis.trace->sites;
  return describe(candidate.layout, layoutFields(sites.records[sites.groups[group.group].record]));
}

/// "; 'sweep' 2.04x, 'sum' 2.71x", where the group has several kernels.
std::string byKernel(const ReplayAnalysis &analysis, const GroupReplay &group) {
  std::string kernels;
  for (const KernelOutcome &outcome : group.kernels)
    if (group.kernels.size() > 1)
      kernels += fmt::format("{}'{}' {:.2f}x", kernels.empty() ? "; " : ", ",
                             analysis.trace->kernels[outcome.kernel],
                             outcome.before.time.totalNs / outcome.after.time.totalNs);
  return kernels;
}

std::string predictedGain(const ReplayAnalysis &analysis, const GroupReplay &group) {
  const double now = group.source.totalNs();
  const double then = group.best.totalNs();
  std::string text = fmt::format("replay predicts {} ms instead of {} ms ({:.2f}x) on {}{}",
                                 milliseconds(then, now), milliseconds(now, now), now / then,
                                 describe(analysis.machine), byKernel(analysis, group));
  const Candidate &next = group.runnerUp;
  if (const double less = 1 - next.totalNs() / then; !next.isSource && less >= kSmallestPart)
    text += fmt::format("; {} takes {} less, but {}", nameOf(analysis, group, next), percent(less),
                        next.sizes.size() > 1
                            ? "not at every size that the run may have, or not by more than the "
                              "model's error"
                            : "that is within the model's error, so the plainer one is chosen");
  return text;
}

/// Beyond 100 % the number tells nothing.
std::string withinError(const Candidate &candidate) {
  return candidate.error < 1
             ? fmt::format("within the model's error of {:.1f} %", 100 * candidate.error)
             : "not certain, as most of the time is that of atomic operations that may meet, or of "
               "accesses that were not sampled";
}

std::string losesAtAnotherSize(const ReplayAnalysis &analysis, const GroupReplay &group) {
  std::string sizes;
  bool isExtrapolated = false;
  bool mayBeReal = false;
  for (const SizeOutcome &size : group.best.sizes) {
    sizes +=
        fmt::format("{}{:.3f}-{:.3f} of the source's time {}", sizes.empty() ? "" : ", ",
                    size.ratio * (1 - size.error), size.ratio * (1 + size.error), nameOf(size));
    isExtrapolated |= size.footprint == Footprint::Traced;
    mayBeReal |= size.footprint == Footprint::Itself;
  }
  const char *remedy = mayBeReal ? "; if the real run is larger, --scale N says so"
                       : isExtrapolated
                           ? "; --scale 1 decides for the traced size, a trace of the real size "
                             "for that"
                           : "";
  return fmt::format("leave it: the best other layout, {}, does not gain in every case: {}{}{}",
                     nameOf(analysis, group, group.best), sizes, remedy, byKernel(analysis, group));
}

std::string gainsTogether(const ReplayAnalysis &analysis, const GroupReplay &group) {
  std::vector<std::string> others;
  for (const trace::Index other : group.joint.groups)
    if (other != group.group)
      others.push_back(fmt::format("'{}'", analysis.trace->sites.groups[other].arrays.front()));
  const std::string with = others.empty()
                               ? "the layouts of the others given"
                               : fmt::format("together with {}", fmt::join(others, ", "));
  const double now = group.joint.sourceNs, then = group.joint.totalNs;
  return fmt::format("replay predicts {} ms instead of {} ms ({:.2f}x) on {}, {}{}",
                     milliseconds(then, now), milliseconds(now, now), now / then,
                     describe(analysis.machine), with, byKernel(analysis, group));
}

} // namespace

std::string reasonOf(const ReplayAnalysis &analysis, const GroupReplay &group) {
  const double now = group.source.totalNs();
  const double gain = now - group.best.totalNs();
  switch (group.verdict) {
  case Verdict::PredictedGain:
    return predictedGain(analysis, group);
  case Verdict::GainWithinError:
    return fmt::format("leave it: the best other layout, {}, gains {}, which is {}{}",
                       nameOf(analysis, group, group.best), percent(gain / now),
                       withinError(group.best), byKernel(analysis, group));
  case Verdict::NothingFaster:
    return fmt::format("leave it: no other layout is faster; the next, {}, takes {} more{}",
                       nameOf(analysis, group, group.best), percent(-gain / now),
                       byKernel(analysis, group));
  case Verdict::Spills:
    return fmt::format("leave it: with the best other layout, {}, nvcc lacks registers in '{}' and "
                       "spills values to memory{}",
                       nameOf(analysis, group, group.best), group.best.spillsIn,
                       byKernel(analysis, group));
  case Verdict::LosesAtAnotherSize:
    return losesAtAnotherSize(analysis, group);
  case Verdict::SharesRecordLayout:
    return fmt::format("{} as '{}' has it, so that the record has one layout; the predicted gain, "
                       "{}, is {}",
                       nameOf(analysis, group, group.best),
                       analysis.trace->sites.groups[group.sharedWith].arrays.front(),
                       percent(gain / now), withinError(group.best));
  case Verdict::GainsTogether:
    return gainsTogether(analysis, group);
  case Verdict::TooManyFields:
    return fmt::format("it has {} fields, and policy replay takes {} at most; decide with "
                       "'--policy nakai', or nest records of fields that belong together",
                       group.decision.fields.size(), kMaxLeaves);
  case Verdict::NoRecordedAddresses:
    return "no address of its accesses was recorded";
  case Verdict::SingleField:
    return "it has a single field, and no order of its elements would bring the lanes of a warp "
           "closer together";
  case Verdict::UnknownExtents:
    return "the lanes of a warp stand apart in it, but the extents of an order that would bring "
           "them together are not all visible where it is allocated, or not the same at all of "
           "its allocations";
  }
  std::abort(); // not a Verdict
}

std::string describe(const LowConfidence &reason) {
  switch (reason.reason) {
  case LowConfidenceReason::UnsampledAccesses:
    return fmt::format("{:.0f} % of the accesses of '{}' were not sampled", 100 * reason.value,
                       reason.kernel);
  case LowConfidenceReason::FewWarps:
    return fmt::format("'{}' has {:g} warps an SM, too few to hide the order of its instructions, "
                       "which the compiler chooses for each layout and the model does not know",
                       reason.kernel, reason.value);
  case LowConfidenceReason::UnknownWarps:
    return fmt::format("'{}' is not bound by memory, and how many warps an SM it has at its real "
                       "size is not known: the traced run was extrapolated to {:g}x the elements "
                       "(--scale N gives the size)",
                       reason.kernel, reason.value);
  case LowConfidenceReason::EstimatedRegisters:
    return fmt::format("'{}' has about {:g} registers a thread by an estimate from the source, and "
                       "the number of its warps an SM depends on them (nvcc's number is not known)",
                       reason.kernel, reason.value);
  case LowConfidenceReason::EstimatedLoop:
    return fmt::format("'{}' spends its time in a loop in which all lanes of a warp read the same "
                       "elements; its instructions were estimated from the source, and the order "
                       "that nvcc gives them is not known",
                       reason.kernel);
  case LowConfidenceReason::UnknownRows:
    return fmt::format("the elements get another order for a size that is not known: where '{}' "
                       "has few warps an SM and each thread walks a long row, the original can be "
                       "faster (--real-arguments \"ARGS\" gives the size)",
                       reason.kernel);
  }
  std::abort(); // not a LowConfidenceReason
}

std::string describe(const std::vector<LowConfidence> &reasons) {
  std::vector<std::string> texts;
  for (const LowConfidence &reason : reasons)
    texts.push_back(describe(reason));
  return fmt::format("{}", fmt::join(texts, "; "));
}

Plan planOf(const ReplayAnalysis &analysis) {
  const trace::SiteTable &sites = analysis.trace->sites;
  Plan plan{sites.sourceFile, sites.sourceDigest, "replay", {}};
  for (const GroupReplay &group : analysis.groups) {
    plan.decisions.push_back(group.decision);
    plan.decisions.back().reason = reasonOf(analysis, group);
  }
  return plan;
}

} // namespace relayout::analysis
