// SPDX-License-Identifier: Apache-2.0
// Policy nakai as a whole: a trace in, decisions and the numbers behind them out.
#pragma once

#include "relayout/analysis/nakai/access_tree.h"
#include "relayout/analysis/nakai/classify.h"
#include "relayout/analysis/nakai/weights.h"
#include "relayout/analysis/plan/plan.h"
#include "relayout/trace/trace_handle.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// Why a group has the layout it has.
enum class NakaiVerdict {
  NotAccessed,         ///< kept: no kernel executed an access to it
  NoRecordedAddresses, ///< kept
  WeightsCancel,       ///< kept: they sum to 0
  SingleField,         ///< kept: AoS and SoA are the same
  SharedMemory,        ///< kept: the weights are of accesses to global memory
  Soa,                 ///< the weights sum to less than 0
  Clustered,           ///< they sum to more: AoS in the clusters of the access tree
};

/// One array group, and how its decision came about.
struct GroupAnalysis {
  trace::Index group = trace::kNone; ///< into SiteTable::groups
  std::vector<std::size_t> rows;     ///< into NakaiAnalysis::rows
  /// Of these rows, how many have an array that could not be told statically; they count for every
  /// group of their record.
  std::size_t sharedRows = 0;
  double weightSum = 0;
  AccessTree tree;
  AccessTree mergedWithin;
  std::vector<LoopNode> mergedAcross;
  std::uint32_t recordBytes = 0;  ///< of an element, as the source has it
  std::uint64_t elementBytes = 0; ///< of an element in the chosen layout, padding included
  NakaiVerdict verdict = NakaiVerdict::NotAccessed;
  /// Kept, as the layout that the verdict chooses is the source's own.
  bool isSourceAlready = false;
  Layout chosen;     ///< by the verdict
  Decision decision; ///< without its sentence, which is the report's
};

struct NakaiAnalysis {
  trace::TraceHandle trace; ///< what was analysed; the indices here point into it
  std::vector<SiteRow> rows;
  std::vector<GroupAnalysis> groups;
  /// Rows that bear on no decision: their array is not known and their record has no group.
  std::vector<std::size_t> unattributed;
  std::vector<trace::Index> neverExecuted; ///< sites of records, into SiteTable::sites
};

/// Nakai & Ohno 2017 to the letter; docs/policy-nakai.md states where the letter leaves a choice.
/// \error RL-A01 no kernel executed an access to a record; RL-A02 not one address was recorded;
///        RL-T04 the trace is incomplete; and whatever the source reports
[[nodiscard]] Result<NakaiAnalysis> analyzeNakai(const trace::TraceHandle &trace);

} // namespace relayout::analysis
