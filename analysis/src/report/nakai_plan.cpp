// SPDX-License-Identifier: Apache-2.0
// Sentences on decisions.
#include "relayout/analysis/report/nakai_plan.h"

#include "report/text_table.h"

#include <fmt/format.h>

#include <cstdlib>

namespace relayout::analysis {
namespace {

std::string verdictText(const GroupAnalysis &group) {
  const std::size_t clusters = group.chosen.clusters.size();
  switch (group.verdict) {
  case NakaiVerdict::NotAccessed:
    return "no kernel executed an access to it";
  case NakaiVerdict::NoRecordedAddresses:
    return "no address of its accesses was recorded";
  case NakaiVerdict::WeightsCancel:
    return "the weights sum to 0, which favours neither AoS nor SoA";
  case NakaiVerdict::SingleField:
    return "with a single field AoS and SoA are the same";
  case NakaiVerdict::SharedMemory:
    return "it lies in shared memory, whose banks the method does not know";
  case NakaiVerdict::Soa:
    return fmt::format(
        "the weights sum to {}, below 0: SoA, as warps mostly read adjacent elements",
        signedNumber(group.weightSum));
  case NakaiVerdict::Clustered:
    return fmt::format(
        "the weights sum to {}, above 0: AoS, as warps mostly read scattered or shared elements; "
        "{}",
        signedNumber(group.weightSum),
        clusters == 1 ? "the access tree puts all fields into one aligned struct"
                      : fmt::format("the access tree splits the fields into {} structs", clusters));
  }
  std::abort(); // not a NakaiVerdict
}

} // namespace

std::string reasonOf(const GroupAnalysis &group) {
  return verdictText(group) + (group.isSourceAlready ? ", which is the source's own layout" : "");
}

Plan planOf(const NakaiAnalysis &analysis) {
  const trace::SiteTable &sites = analysis.trace->sites;
  Plan plan{sites.sourceFile, sites.sourceDigest, "nakai", {}};
  for (const GroupAnalysis &group : analysis.groups) {
    plan.decisions.push_back(group.decision);
    plan.decisions.back().reason = reasonOf(group);
  }
  return plan;
}

} // namespace relayout::analysis
