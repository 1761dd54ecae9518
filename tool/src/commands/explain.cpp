// SPDX-License-Identifier: Apache-2.0
// `relayout explain WORD`: the paragraph of docs/diagnostics.md on a diagnostic's code, or why
// policy replay decided as it did for a record.
#include "commands/shared_options.h"
#include "commands/commands.h"
#include "reports/console.h"
#include "stages/decide.h"
#include "processes/files.h"

#include "relayout/analysis/report/replay_explanation.h"

#include <fmt/format.h>

#include <string_view>

extern const char *const kDiagnosticsText;

namespace relayout::tool {
namespace {

int explainCode(const std::string &code) {
  const std::string_view text = kDiagnosticsText;
  const std::string heading = "## " + code;
  std::size_t start = text.find(heading + "\n");
  if (start == std::string_view::npos)
    start = text.find(heading + ":");
  if (start == std::string_view::npos)
    return report(
        Error{"RL-U02",
              fmt::format("there is no diagnostic '{}'", code),
              {},
              {{{},
                "of a record, say where it was decided: --report FOLDER/report.json, which "
                "'relayout optimize' left, or --trace FILE"}}},
        kUsage);
  const std::size_t end = text.find("\n## ", start + 1);
  std::string_view paragraph = text.substr(start + 3, end - start - 3);
  while (paragraph.ends_with('\n'))
    paragraph.remove_suffix(1);
  fmt::print("{}\n", paragraph);
  return kDone;
}

/// The report that was given, or that of the trace that was given.
Result<std::string> reportOf(const std::string &reportFile, const std::string &traceFile,
                             const DecideOptions &deciding) {
  if (!reportFile.empty())
    return readFile(reportFile);
  if (auto checked = checkDecideOptions(deciding); !checked)
    return tl::unexpected(checked.error());
  auto decided = decide(traceFile, deciding, printSearch);
  if (!decided)
    return tl::unexpected(decided.error());
  return decided->json;
}

} // namespace

Command registerExplain(CLI::App &app) {
  struct Options {
    std::string word;
    std::string report;
    std::string trace;
    DecideOptions deciding;
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand(
      "explain", "Explain a diagnostic's code, such as RL-R04, or the choice for a record");
  parser
      ->add_option("code", options->word,
                   "The code in brackets at a diagnostic's end, or a record's name")
      ->required();
  CLI::Option *file = parser->add_option(
      "--report", options->report, "Of a record: the report.json that 'relayout optimize' left");
  parser->add_option("--trace", options->trace, "Of a record: a trace, to decide again from")
      ->excludes(file);
  parser->add_option("--machine", options->deciding.machine,
                     "With --trace: GPU to predict for, a name or a machine file [h100]");
  auto execute = [options](const ForwardedWords &) -> int {
    const bool ofRecord = !options->report.empty() || !options->trace.empty();
    if (options->word.starts_with("RL-") || !ofRecord)
      return explainCode(options->word);
    auto text = reportOf(options->report, options->trace, options->deciding);
    if (!text)
      return report(text.error(), exitCodeOfOptions(text.error()));
    auto explanation = inFile(analysis::explainRecord(*text, options->word), options->report);
    if (!explanation)
      return report(explanation.error());
    fmt::print("{}", *explanation);
    return kDone;
  };
  return {parser, false, false, execute};
}

} // namespace relayout::tool
