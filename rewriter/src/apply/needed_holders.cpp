// SPDX-License-Identifier: Apache-2.0
// Matches a plan's groups of arrays with the members of structs and parameters of
// functions that became two.
#include "apply/needed_holders.h"

#include "apply/plan_match.h"
#include "relayout/instrument/clang/array_flow.h"

namespace relayout::rewriter {
Result<instrument::ParsedProgram> withNeededHolders(const instrument::ParsedProgram &program,
                                                    const analysis::Plan &plan) {
  const auto units = program.units(instrument::Pass::Host);
  if (!units)
    return tl::unexpected(units.error());
  std::set<std::string> needed;
  for (const instrument::ArrayFlow &flow : program.flows(instrument::Pass::Host))
    for (const analysis::Decision &decision : plan.decisions) {
      if (decision.keep)
        continue;
      for (const std::uint32_t group : groupsOf(flow, decision, instrument::Pass::Host))
        for (const clang::ValueDecl *declaration : flow.groups()[group].declarations)
          needed.insert({holderNameOf(*declaration), instrument::ArrayFlow::nameOf(declaration)});
    }
  std::set<std::string> split;
  for (const instrument::SharedHolder &holder : program.sharedHolders())
    if (needed.contains(holder.name) || needed.contains(holder.deviceName))
      split.insert(holder.name);
  return program.withHolders(std::move(split));
}

} // namespace relayout::rewriter
