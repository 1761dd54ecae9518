// SPDX-License-Identifier: Apache-2.0
// The `relayout` program: picks the subcommand, hands it its words, turns errors into exit codes.
#include "commands/arguments.h"
#include "commands/commands.h"
#include "reports/console.h"

#include <cstdio>
#include <exception>
#include <fmt/format.h>

namespace relayout::tool {
namespace {

constexpr const char *kFooter =
    "Exit codes: 0 done; 1 failed; 2 usage; 3 refused, no file touched; 4 trace incomplete.\n"
    "Words after -- go to your program; compiler flags (-I, -D, -std, nvcc's) may stand anywhere\n"
    "before that. 'relayout SUBCOMMAND --help' has the details.";

int runTool(int argc, char **argv) {
  CLI::App app("Decides how the records of a CUDA program should lie in device memory, rewrites "
               "the source, and proves that nothing else changed.",
               "relayout");
  app.set_version_flag("--version", "relayout " RELAYOUT_VERSION);
  app.require_subcommand(1);
  app.footer(kFooter);
  app.get_formatter()->column_width(34);

  const std::vector<Command> commands = {
      registerOptimize(app), registerInstrument(app), registerRun(app),    registerAnalyze(app),
      registerRewrite(app),  registerVerify(app),     registerTrace(app),  registerExplain(app),
      registerCc(app),       registerProfile(app),    registerDoctor(app), registerCalibrate(app),
      registerBatch(app)};

  const std::vector<std::string> words(argv + 1, argv + argc);
  const Command *chosen = nullptr;
  if (!words.empty())
    for (const Command &command : commands)
      if (command.parser->get_name() == words.front())
        chosen = &command;

  if (!chosen && !words.empty() && words.front().front() != '-')
    return report(Error{
        Code::InvalidCommandLine,
        fmt::format("there is no subcommand '{}'; 'relayout --help' lists them", words.front()),
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
  return chosen ? chosen->execute(forwarded) : kUsage;
}

} // namespace
} // namespace relayout::tool

int main(int argc, char **argv) {
  try {
    return relayout::tool::runTool(argc, argv);
  } catch (const std::exception &unexpected) {
    fmt::print(stderr, "relayout: error: internal error: {} [{}]\n", unexpected.what(),
               codeName(relayout::Code::InternalError));
    return relayout::tool::kFailed;
  }
}
