// SPDX-License-Identifier: Apache-2.0
// The `relayout` program: picks the subcommand, hands it its words, turns errors into exit codes.
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/suggestion.h"
#include "processes/watchdog.h"
#include "reports/answer.h"
#include "reports/console.h"
#include "reports/stage_limit.h"

#include <cstdio>
#include <exception>
#include <fmt/format.h>

namespace relayout::tool {
namespace {

constexpr const char *kFooter =
    "Exit codes: 0 done; 1 failed; 2 usage; 3 refused, no file touched; 4 trace incomplete.\n"
    "Words after -- go to your program; compiler flags (-I, -D, -std, nvcc's) may stand anywhere\n"
    "before that. 'relayout SUBCOMMAND --help' has the details.";

/// --limit, for each subcommand that has none of its own.
void addLimit(const std::vector<Command> &commands, unsigned &seconds) {
  for (const Command &command : commands)
    if (!command.parser->get_option_no_throw("--limit"))
      command.parser->add_option("--limit", seconds, "Seconds that a stage may take [no limit]")
          ->type_name("SECONDS");
}

/// --json, for each subcommand whose output is not a script or a compiler's.
void addJson(const std::vector<Command> &commands, bool &isJson) {
  for (const Command &command : commands)
    if (command.answers)
      command.parser->add_flag("--json", isJson,
                               "Answer with a JSON object on stdout; text goes to stderr");
}

int runTool(int argc, char **argv) {
  CLI::App app(
      "Chooses the memory layout of each struct in a CUDA program, rewrites the source, and "
      "verifies, for the given input, that every device-to-host copy is byte-identical.",
      "relayout");
  app.set_version_flag("--version", "relayout " RELAYOUT_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  app.get_formatter()->column_width(34);

  std::vector<Command> commands;
#define COMMAND(name, registration) commands.push_back(registration(app));
#include "commands/commands.def"
#undef COMMAND
  unsigned limit = 0;
  addLimit(commands, limit);
  bool isJson = false;
  addJson(commands, isJson);

  const std::vector<std::string> words(argv + 1, argv + argc);
  const Command *chosen = nullptr;
  if (!words.empty())
    for (const Command &command : commands)
      if (command.parser->get_name() == words.front())
        chosen = &command;

  std::vector<std::string> names;
  for (const Command &command : commands)
    names.push_back(command.parser->get_name());
  if (!chosen && !words.empty() && words.front().front() != '-')
    return report(Error{Code::InvalidCommandLine,
                        fmt::format("there is no subcommand '{}'{}; 'relayout --help' lists them",
                                    words.front(), didYouMean(words.front(), names)),
                        {},
                        {}});

  ForwardedWords forwarded;
  std::vector<std::string> own = words;
  if (chosen) {
    auto split = splitWords(*chosen, {words.begin() + 1, words.end()});
    if (!split)
      return report(split.error());
    own = std::move(split->own);
    own.insert(own.begin(), words.front());
    forwarded = std::move(split->forwarded);
  }
  try {
    std::reverse(own.begin(), own.end()); // CLI11 takes the words from the back
    app.parse(own);
  } catch (const CLI::Success &done) {
    return app.exit(done);
  } catch (const CLI::ParseError &error) {
    const std::string where = chosen ? "relayout " + chosen->parser->get_name() : "relayout";
    return report(Error{Code::InvalidCommandLine,
                        fmt::format("{}; '{} --help' shows how", error.what(), where),
                        {},
                        {}});
  }
  forwarded.commandLine = words;
  limitStages(std::chrono::seconds(limit));
  if (!chosen)
    return kUsage;
  if (isJson)
    answerInJson(words.front());
  return endAnswer(chosen->execute(forwarded));
}

} // namespace
} // namespace relayout::tool

int main(int argc, char **argv) {
  relayout::tool::Watchdog::instance(); // while this is a small process
  try {
    return relayout::tool::runTool(argc, argv);
  } catch (const std::exception &unexpected) {
    fmt::print(stderr, "relayout: error: internal error: {} [{}]\n", unexpected.what(),
               codeName(relayout::Code::InternalError));
    return relayout::tool::kFailed;
  }
}
