// SPDX-License-Identifier: Apache-2.0
// `relayout run FOLDER -- ARGS`: builds what `instrument` left and runs it for its trace.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/folder_lock.h"
#include "reports/answer.h"
#include "reports/console.h"
#include "stages/stages.h"

#include "relayout/trace/reader.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace relayout::tool {

Command registerRun(CLI::App &app) {
  struct Options {
    std::string folder;
    std::string trace;
    TraceOptions tracing;
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand(
      "run", "Build an instrumented program for the CPU and run it for its trace");
  parser->add_option("folder", options->folder, "Folder that 'relayout instrument' wrote")
      ->required();
  parser->add_option("-o,--out", options->trace, "Trace file [FOLDER/trace.rlt]");
  addTraceOptions(*parser, options->tracing);
  addWorkFolder(*parser);
  parser->footer("Words after -- are the program's arguments.");
  auto execute = [options](const ForwardedWords &words) -> int {
    auto paths = findInstallPaths();
    if (!paths)
      return report(paths.error());
    const FolderLock lock(options->folder);
    auto program = readHostProgram(options->folder);
    if (!program)
      return report(program.error());
    if (auto built = buildHostPrograms({&*program}, *paths); !built)
      return report(built.error());
    const std::string traceFile =
        options->trace.empty() ? options->folder + "/trace.rlt" : options->trace;
    const auto exitCode =
        runHostProgram(*program, words.programArguments, traceFile, options->tracing, "");
    if (!exitCode)
      return report(exitCode.error());
    if (*exitCode != 0)
      printDiagnostic(endedWith(*exitCode, ""));
    auto trace = readUsableTrace(traceFile);
    if (!trace)
      return report(trace.error());
    fmt::print(stderr, "{}\n", describeTrace(**trace, traceFile));
    answer("trace", traceFile);
    answer("complete", (*trace)->complete);
    return (*trace)->complete ? kDone : kIncomplete;
  };
  return {parser, false, true, execute};
}

} // namespace relayout::tool
