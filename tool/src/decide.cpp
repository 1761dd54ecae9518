// SPDX-License-Identifier: Apache-2.0
// From a trace to a plan, by policy or by a layout asked for by name.
#include "decide.h"

#include "files.h"
#include "install_paths.h"

#include "relayout/analysis/fixed.h"
#include "relayout/analysis/nakai.h"
#include "relayout/analysis/replay/report.h"
#include "relayout/analysis/report.h"

#include <fmt/format.h>

namespace relayout::tool {

void addDecideOptions(CLI::App &parser, DecideOptions &options) {
  CLI::Option *policy =
      parser
          .add_option("--policy", options.policy,
                      "How to decide: nakai (Nakai & Ohno 2017), or replay (predicted times)")
          ->check(CLI::IsMember({"nakai", "replay"}))
          ->capture_default_str();
  parser
      .add_option("--layout", options.layout,
                  "No decision: this layout for every array of records (" +
                      analysis::fixedLayoutNames() + ")")
      ->excludes(policy);
  parser
      .add_option("--machine", options.machine,
                  "GPU that policy replay predicts for: a name, or a machine file")
      ->capture_default_str();
  parser.add_flag("--all", options.allRows, "Show every site, not only the heaviest");
}

namespace {

Result<Decided> decideByReplay(const std::string &traceFile, const DecideOptions &options) {
  auto file = findMachineFile(options.machine);
  if (!file)
    return tl::unexpected(file.error());
  auto text = readFile(*file);
  if (!text)
    return tl::unexpected(text.error());
  auto machine = analysis::machineFromJson(*text);
  if (!machine)
    return tl::unexpected(machine.error());
  analysis::ReplayOptions replaying;
  replaying.tiles = false; // the rewriter cannot write them
  auto analysis = analysis::analyzeReplay(traceFile, *machine, replaying);
  if (!analysis)
    return tl::unexpected(analysis.error());
  return Decided{analysis->plan,
                 analysis::renderReplayReport(*analysis) +
                     "Tiled layouts (AoSoA) were left out: the rewriter cannot write them yet.\n",
                 analysis::replayReportJson(*analysis)};
}

} // namespace

Result<Decided> decide(const std::string &traceFile, const DecideOptions &options) {
  if (options.policy == "replay")
    return decideByReplay(traceFile, options);
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
