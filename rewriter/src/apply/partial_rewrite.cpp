// SPDX-License-Identifier: Apache-2.0
// Applies the decisions of a plan that can be applied, and says why the others cannot.
#include "relayout/rewriter/rewrite.h"

#include "apply/needed_holders.h"
#include "pass/parsed_passes.h"

#include <algorithm>
#include <iterator>

namespace relayout::rewriter {
namespace {

using analysis::Decision;
using analysis::Plan;

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
  auto [whole, used, isOtherwiseSplit] = withWantedCopies(*split, plan);
  if (!whole || !whole->refused() || std::ranges::count(plan.decisions, false, &Decision::keep) < 2)
    return whole;
  // One by one: some can be applied alone, and not together.
  Plan possible = plan;
  for (Decision &decision : possible.decisions)
    decision.keep = true;
  std::vector<Diagnostic> refusals, resolved;
  const auto has = [](const std::vector<Diagnostic> &all, const Diagnostic &one) {
    return std::ranges::find(all, one) != all.end();
  };
  ParsedPasses passes(used);
  for (std::size_t i = 0; i < plan.decisions.size(); ++i) {
    if (plan.decisions[i].keep)
      continue;
    possible.decisions[i].keep = false;
    Result<Rewrite> tried = rewriteParsed(passes, possible, isOtherwiseSplit);
    std::vector<Diagnostic> withoutCopies;
    if (tried && tried->refused() && !tried->wantedCopies.empty()) {
      withoutCopies = std::move(tried->findings);
      tried = withWantedCopies(*split, possible).rewrite;
    }
    if (!tried)
      return tried;
    if (!tried->refused()) { // what copies of functions resolve shows again beside what they do not
      std::ranges::move(withoutCopies, std::back_inserter(resolved));
      continue;
    }
    possible.decisions[i].keep = true;
    std::ranges::copy_if(tried->findings, std::back_inserter(refusals), [&](const Diagnostic &one) {
      return !has(refusals, one) && !has(resolved, one);
    });
  }
  Result<Rewrite> rest = rewrite(program, possible);
  if (!rest || rest->refused() || !changesAnything(*rest)) {
    whole->findings = std::move(refusals); // without those that only stand against them together
    return whole;
  }
  for (Diagnostic &refusal : refusals)
    refusal.severity = Severity::Warning;
  rest->findings.insert(rest->findings.begin(), refusals.begin(), refusals.end());
  return rest;
}

} // namespace relayout::rewriter
