// SPDX-License-Identifier: Apache-2.0
// `relayout analyze TRACE`: what the warps touched, and the layout that follows from it.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/counter_runs.h"
#include "processes/files.h"
#include "reports/answer.h"
#include "reports/console.h"
#include "stages/decide.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace relayout::tool {

Command registerAnalyze(CLI::App &app) {
  struct Options {
    std::string trace;
    std::string otherTrace;
    std::string plan;
    DecideOptions deciding;
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand("analyze", "Choose layouts from a trace");
  parser->add_option("trace", options->trace, "Trace file")->required();
  parser->add_option("-o,--out", options->plan, "Write the plan here");
  addDecideOptions(*parser, options->deciding);
  parser->add_option("--scale-with", options->otherTrace,
                     "Trace of a run of another size: a layout has to gain extrapolated from that "
                     "run as well");
  auto execute = [options](const ForwardedWords &) -> int {
    if (auto checked = checkDecideOptions(options->deciding); !checked)
      return report(checked.error());
    const auto trace = trace::TraceHandle::open(options->trace);
    if (!trace)
      return report(trace.error());
    DecideOptions deciding = options->deciding;
    if (!options->otherTrace.empty()) {
      const auto other = trace::TraceHandle::open(options->otherTrace);
      if (!other)
        return report(other.error());
      deciding.otherRun = *other;
    }
    auto decided = decide(*trace, deciding, printSearch);
    if (!decided)
      return report(decided.error());
    answer("report", nlohmann::ordered_json::parse(reportJson(*decided)));
    fmt::print("{}{}", reportText(*decided), describeLineCounters(**trace, options->trace));
    if (!options->plan.empty()) {
      if (auto written = writeFile(options->plan, analysis::toJson(decided->plan)); !written)
        return report(written.error());
      fmt::print(stderr, "plan written to {}\n", options->plan);
    }
    return kDone;
  };
  return {parser, false, false, execute};
}

} // namespace relayout::tool
