// SPDX-License-Identifier: Apache-2.0
// Policy replay: a layout that was tried for a group, and what came of it.
#pragma once

#include "relayout/analysis/plan/plan.h"
#include "relayout/analysis/replay/cost/evaluation.h"
#include "relayout/analysis/replay/stream/footprint.h"

#include <cstdint>
#include <string>
#include <vector>

namespace relayout::analysis {

/// What the kernels that use a group ask of each resource, as the time it would take alone.
struct Work {
  double issueNs = 0; ///< instructions, or those of a slower pipe
  double l1Ns = 0;
  double l2Ns = 0;
  double dramNs = 0;
  double latencyNs = 0;

  Work &operator+=(const Work &other) {
    issueNs += other.issueNs;
    l1Ns += other.l1Ns;
    l2Ns += other.l2Ns;
    dramNs += other.dramNs;
    latencyNs += other.latencyNs;
    return *this;
  }
};

/// A layout's time over the source's at one size that the real run may have.
struct SizeOutcome {
  Footprint footprint = Footprint::Asked;
  double ratio = 1;
  double error = 0; ///< of the ratio, as a part of it; see ratioError()
  /// The ratio with a part of the memory system's hidden work counted; see assess().
  double rank = 1;
  bool isOfOtherRun = false; ///< see SizedSample
  /// With the source's layout, starting the kernels takes longer than running them.
  bool isLaunchBound = false;
  /// Most of the time is that of loops whose machine code is known, with either layout.
  bool isByMachineCode = false;
  Work work = {};
};

/// "extrapolated".
[[nodiscard]] std::string nameOf(const SizeOutcome &size);

/// A layout of one group, and what the kernels that use the group take with it.
struct Candidate {
  Layout layout;
  bool isSource = false; ///< the record as declared
  double kernelNs = 0;
  double otherNs = 0;      ///< of these, what stays in every layout; see KernelTime::otherNs
  double conversionNs = 0; ///< at host copies
  double error = 0;        ///< of the ratio to the source at the size that is asked for
  /// A kernel for which nvcc lacks registers with this layout, and not with the source's; empty:
  /// none, or it was not compiled.
  std::string spillsIn;
  /// That size first, which the times above are of.
  std::vector<SizeOutcome> sizes;

  [[nodiscard]] double totalNs() const { return kernelNs + conversionNs; }
};

/// One kernel before and after the decisions.
struct KernelOutcome {
  trace::Index kernel = trace::kNone; ///< into Trace::kernels
  KernelEvaluation before;
  KernelEvaluation after;
  KernelEvaluation runnerUp; ///< with the group's runner-up
};

/// Why a group has the layout it has.
enum class Verdict {
  PredictedGain,       ///< the whole interval of the ratio is below 1
  GainWithinError,     ///< kept: the interval reaches 1
  NothingFaster,       ///< kept
  Spills,              ///< kept: nvcc lacks registers with the best layout
  LosesAtAnotherSize,  ///< kept: the best layout wins at the size that is asked for, and there only
  SharesRecordLayout,  ///< as another group of the record, and no slower by the model
  GainsTogether,       ///< in another order with other groups, which do not gain one by one
  TooManyFields,       ///< kept: more than kMaxLeaves
  NoRecordedAddresses, ///< kept
  SingleField,         ///< kept: all layouts are the same
  UnknownExtents,      ///< kept: lanes stand apart, by extents that the allocations do not name
};

/// Copies between the host and a group's arrays in the traced run, in both directions.
struct HostCopies {
  std::uint64_t count = 0;
  std::string place;         ///< "file:line" of most of them; empty where it is not known
  bool areRepeated = false;  ///< one place copies an array again and again, as every step
  double convertedBytes = 0; ///< in the predicted run
  double conversions = 0;    ///< kernels that convert in it, for repeated copies alone
};

/// Groups whose elements change their order together.
struct JointGain {
  std::vector<trace::Index> groups;
  double sourceNs = 0; ///< of all kernels that use one of them, before
  double totalNs = 0;  ///< after, with conversions
};

/// What was found out about one array group.
struct GroupReplay {
  trace::Index group = trace::kNone;
  /// Every one that was tried, best first: the finalists as the whole sample has them, the others
  /// by their ratio to the source on a subset.
  std::vector<Candidate> candidates;
  Candidate source;
  /// Whether it was chosen or not: the plainest of those that the model cannot tell from the
  /// fastest; where none of them gains, one that gains at this size and not at every other.
  Candidate best;
  Candidate runnerUp;
  HostCopies hostCopies;
  std::vector<KernelOutcome> kernels;
  Verdict verdict = Verdict::NoRecordedAddresses;
  trace::Index sharedWith = trace::kNone; ///< the group, where the verdict is SharesRecordLayout
  JointGain joint;                        ///< where the verdict is GainsTogether
  Decision decision;                      ///< without its sentence, which is the report's
};

} // namespace relayout::analysis
