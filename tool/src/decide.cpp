// SPDX-License-Identifier: Apache-2.0
// From a trace to a plan, by policy or by a layout asked for by name.
#include "decide.h"

#include "relayout/analysis/fixed.h"
#include "relayout/analysis/nakai.h"
#include "relayout/analysis/report.h"

#include <fmt/format.h>

namespace relayout::tool {

void addDecideOptions(CLI::App &parser, DecideOptions &options) {
  CLI::Option *policy =
      parser.add_option("--policy", options.policy, "How to decide: nakai (Nakai & Ohno 2017)")
          ->check(CLI::IsMember({"nakai"}))
          ->capture_default_str();
  parser
      .add_option("--layout", options.layout,
                  "No decision: this layout for every array of records (" +
                      analysis::fixedLayoutNames() + ")")
      ->excludes(policy);
  parser.add_flag("--all", options.allRows, "Show every site, not only the heaviest");
}

Result<Decided> decide(const std::string &traceFile, const DecideOptions &options) {
  auto analysis = analysis::analyzeNakai(traceFile);
  if (!analysis)
    return tl::unexpected(analysis.error());
  analysis::ReportOptions reporting;
  if (options.allRows)
    reporting.maxRows = 0;
  Decided decided{analysis->plan, analysis::renderReport(*analysis, reporting),
                  analysis::reportJson(*analysis)};
  if (!options.layout.empty()) {
    auto plan = analysis::fixedPlan(analysis->trace.sites, options.layout);
    if (!plan)
      return tl::unexpected(plan.error());
    decided.plan = std::move(*plan);
    decided.report +=
        fmt::format("The choice above is the policy's; '{}' was asked for and is what follows.\n",
                    options.layout);
  }
  return decided;
}

} // namespace relayout::tool
