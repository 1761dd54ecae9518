// SPDX-License-Identifier: Apache-2.0
// `relayout explain WORD`: the paragraph of docs/diagnostics.md on a diagnostic's code, or why
// policy replay decided as it did for a record.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "commands/suggestion.h"
#include "processes/files.h"
#include "processes/install_paths.h"
#include "reports/answer.h"
#include "reports/console.h"
#include "stages/decide.h"

#include "relayout/analysis/report/replay_explanation.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string_view>

namespace relayout::tool {
namespace {

int listCodes() {
  auto codes = nlohmann::ordered_json::array();
  for (const DiagnosticEntry &entry : diagnosticEntries()) {
    codes.push_back({{"code", entry.name}, {"title", entry.title}});
    fmt::print("{}  {}\n", entry.name, entry.title);
  }
  answer("codes", codes);
  return kDone;
}

int explainCode(const std::string &word) {
  const Code code = codeNamed(word);
  std::vector<std::string> names;
  for (const DiagnosticEntry &entry : diagnosticEntries())
    names.emplace_back(entry.name);
  if (code == Code::None)
    return report(Error{Code::UnknownCode,
                        fmt::format("there is no diagnostic '{}'{}", word, didYouMean(word, names)),
                        {},
                        {{{},
                          "for a record, name the decision: --report FOLDER/report.json, which "
                          "'relayout optimize' left, or --trace FILE"}}});
  const DiagnosticEntry &entry = diagnosticEntry(code);
  answer("code", entry.name);
  answer("title", entry.title);
  answer("explanation", entry.explanation);
  fmt::print("{}: {}\n{}\n", entry.name, entry.title, entry.explanation);
  return kDone;
}

/// The report that was given, or that of the trace that was given.
Result<std::string> reportOf(const std::string &reportFile, const std::string &traceFile,
                             const DecideOptions &deciding) {
  if (!reportFile.empty())
    return readFile(reportFile);
  if (auto checked = checkDecideOptions(deciding); !checked)
    return tl::unexpected(checked.error());
  const auto trace = trace::TraceHandle::open(traceFile);
  if (!trace)
    return tl::unexpected(trace.error());
  auto decided = decide(*trace, deciding, printSearch);
  if (!decided)
    return tl::unexpected(decided.error());
  return reportJson(*decided);
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
  parser->add_option(
      "code", options->word,
      "The code in brackets at a diagnostic's end, or a record's name; without it, all "
      "codes are listed");
  CLI::Option *file = parser->add_option(
      "--report", options->report, "Of a record: the report.json that 'relayout optimize' left");
  parser->add_option("--trace", options->trace, "Of a record: a trace to decide from")
      ->excludes(file);
  parser->add_option("--machine", options->deciding.machine,
                     "With --trace: GPU to predict for, a machine file or one of " +
                         machineNames() + " [h100]");
  auto execute = [options](const ForwardedWords &) -> int {
    if (options->word.empty())
      return listCodes();
    const bool ofRecord = !options->report.empty() || !options->trace.empty();
    if (options->word.starts_with("RL-") || !ofRecord)
      return explainCode(options->word);
    auto text = reportOf(options->report, options->trace, options->deciding);
    if (!text)
      return report(text.error());
    auto explanation = inFile(analysis::explainRecord(*text, options->word), options->report);
    if (!explanation)
      return report(explanation.error());
    answer("explanation", *explanation);
    fmt::print("{}", *explanation);
    return kDone;
  };
  return {parser, false, false, execute};
}

} // namespace relayout::tool
