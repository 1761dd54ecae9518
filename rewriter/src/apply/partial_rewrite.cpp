// SPDX-License-Identifier: Apache-2.0
// Applies the decisions of a plan that can be applied, and says why the others cannot.
#include "relayout/rewriter/rewrite.h"

#include "apply/needed_holders.h"
#include "pass/parsed_passes.h"

#include <algorithm>

namespace relayout::rewriter {
namespace {

using analysis::Decision;
using analysis::Plan;

/// The plan with every decision but one left out.
Plan onlyOne(const Plan &plan, std::size_t chosen) {
  Plan alone = plan;
  for (std::size_t i = 0; i < alone.decisions.size(); ++i)
    alone.decisions[i].keep |= i != chosen;
  return alone;
}

bool changesAnything(const Rewrite &rewrite) {
  return std::ranges::any_of(rewrite.sources.files, [](const instrument::SourceText &file) {
    return file.text != file.original;
  });
}

} // namespace

Result<Rewrite> rewritePartially(const instrument::ParsedProgram &program, const Plan &plan) {
  const auto split = withNeededHolders(program, plan);
  if (!split)
    return tl::unexpected(split.error());
  ParsedPasses passes(*split);
  Result<Rewrite> whole = rewriteParsed(passes, plan);
  if (!whole || !whole->refused() || std::ranges::count(plan.decisions, false, &Decision::keep) < 2)
    return whole;
  Plan possible = plan;
  std::vector<Diagnostic> refusals;
  for (std::size_t i = 0; i < plan.decisions.size(); ++i) {
    if (plan.decisions[i].keep)
      continue;
    Result<Rewrite> alone = rewriteParsed(passes, onlyOne(plan, i));
    if (!alone)
      return alone;
    if (!alone->refused())
      continue;
    possible.decisions[i].keep = true;
    for (Diagnostic &finding : alone->findings) {
      finding.severity = Severity::Warning;
      refusals.push_back(std::move(finding));
    }
  }
  Result<Rewrite> rest = rewrite(program, possible);
  if (!rest || rest->refused() || !changesAnything(*rest))
    return whole;
  rest->findings.insert(rest->findings.begin(), refusals.begin(), refusals.end());
  return rest;
}

} // namespace relayout::rewriter
