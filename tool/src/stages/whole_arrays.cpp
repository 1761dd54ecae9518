// SPDX-License-Identifier: Apache-2.0
// Asks the rewriter about one decision after the other.
#include "stages/whole_arrays.h"

#include <algorithm>

namespace relayout::tool {
namespace {

bool isForWholeArrays(const Diagnostic &finding) {
  return finding.code == Code::ArrayMemberUsedWhole;
}

} // namespace

Result<std::set<trace::Index>> explodedInVain(const instrument::ParsedProgram &program,
                                              const analysis::Plan &plan,
                                              const rewriter::Rewrite &rewrite) {
  std::set<trace::Index> groups;
  if (std::ranges::none_of(rewrite.findings, isForWholeArrays))
    return groups;
  for (std::size_t i = 0; i < plan.decisions.size(); ++i) {
    const analysis::Decision &decision = plan.decisions[i];
    if (decision.keep ||
        std::ranges::none_of(decision.layout.clusters, &analysis::Cluster::exploded))
      continue;
    analysis::Plan alone = plan;
    for (std::size_t other = 0; other < plan.decisions.size(); ++other)
      alone.decisions[other].keep |= other != i;
    const Result<rewriter::Rewrite> tried = rewriter::rewrite(program, alone);
    if (!tried)
      return tl::unexpected(tried.error());
    if (tried->refused() && std::ranges::all_of(tried->findings, isForWholeArrays))
      groups.insert(static_cast<trace::Index>(i));
  }
  return groups;
}

} // namespace relayout::tool
