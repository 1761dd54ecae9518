// SPDX-License-Identifier: Apache-2.0
// `relayout trace dump FILE`: a trace as text.
#include "commands/commands.h"
#include "reports/answer.h"
#include "reports/console.h"

#include "relayout/trace/dump.h"
#include "relayout/trace/reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace relayout::tool {

Command registerTrace(CLI::App &app) {
  struct Options {
    std::string file;
    std::uint64_t accesses = 20;
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand("trace", "Inspect a trace file");
  CLI::App *dump = parser->add_subcommand("dump", "Print a trace as text");
  dump->fallthrough(); // --json and --limit may follow
  parser->require_subcommand(1);
  dump->add_option("file", options->file, "Trace file")->required();
  dump->add_option("--accesses", options->accesses, "Warp accesses to print, from the first")
      ->capture_default_str();
  auto execute = [options](const ForwardedWords &) -> int {
    auto dumped = trace::dump(options->file, {options->accesses},
                              [](std::string_view text) { fmt::print("{}", text); });
    if (!dumped)
      return report(dumped.error());
    auto trace = trace::readTrace(options->file);
    if (!trace)
      return report(trace.error());
    answer("sites", nlohmann::ordered_json::parse(trace::toJson(trace->sites)));
    answer("complete", trace->complete);
    return trace->complete ? kDone : kIncomplete;
  };
  return {parser, false, false, execute};
}

} // namespace relayout::tool
