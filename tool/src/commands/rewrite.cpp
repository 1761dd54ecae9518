// SPDX-License-Identifier: Apache-2.0
// `relayout rewrite FILE.cu --plan PLAN`: carries a plan out, as a diff, into a folder, or in
// place.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/files.h"
#include "processes/install_paths.h"
#include "processes/nvcc.h"
#include "processes/temporary_folder.h"
#include "reports/console.h"

#include "relayout/analysis/plan/uniform_plan.h"
#include "relayout/instrument/program_model.h"
#include "relayout/rewriter/rewrite.h"

#include <fmt/format.h>

#include <filesystem>

namespace relayout::tool {

namespace {

Result<analysis::Plan> loadOrMakePlan(const std::string &planFile, const std::string &layout,
                                      const instrument::CompileCommand &command) {
  if (!layout.empty()) {
    auto model = instrument::buildProgramModel(command);
    if (!model)
      return tl::unexpected(model.error());
    return analysis::fixedPlan(model->sites, layout);
  }
  auto text = readFile(planFile);
  if (!text)
    return tl::unexpected(text.error());
  return inFile(analysis::planFromJson(*text), planFile);
}

/// What was asked for: the plan, and the program after it.
Result<rewriter::Rewrite> carryOut(const std::string &planFile, const std::string &layout,
                                   const instrument::CompileCommand &command) {
  auto plan = loadOrMakePlan(planFile, layout, command);
  if (!plan)
    return tl::unexpected(plan.error());
  return rewriter::rewriteWhatCanBe(command, *plan);
}

/// The same for programs that use what our own CUDA headers lack: read with the toolkit's.
Result<rewriter::Rewrite> carryOutWithAnyHeaders(const std::string &planFile,
                                                 const std::string &layout,
                                                 instrument::CompileCommand command) {
  auto rewrite = carryOut(planFile, layout, command);
  if (rewrite || !toolkitMayHelp(rewrite.error()))
    return rewrite;
  const auto nvcc = findNvcc();
  const auto scratch = TemporaryFolder::make();
  if (!nvcc || !scratch)
    return rewrite;
  command.cudaToolkit = toolkitOf(*nvcc, command.file, scratch->file("nvcc"));
  return command.cudaToolkit.empty() ? std::move(rewrite) : carryOut(planFile, layout, command);
}

/// The folder that holds all of the user's files: where relative paths of the rewrite start.
std::string sourceRoot(const instrument::SourceSet &sources) {
  const instrument::SourceText &main = sources.files.front();
  return main.originalPath.substr(0, main.originalPath.size() - main.relativePath.size());
}

} // namespace

Command registerRewrite(CLI::App &app) {
  struct Options {
    std::vector<std::string> files;
    std::string plan, layout, folder;
    bool write = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand("rewrite", "Carry a plan out on a CUDA program");
  parser->add_option("file", options->files, "CUDA source files of one program")->required();
  CLI::Option *planFile =
      parser->add_option("--plan", options->plan, "Plan that 'relayout analyze -o' wrote");
  CLI::Option *layout =
      parser->add_option("--layout", options->layout,
                         "This layout for every array of records: " + analysis::fixedLayoutNames());
  layout->excludes(planFile);
  CLI::Option *folder = parser->add_option("-o,--out", options->folder,
                                           "Write the rewritten program into this folder");
  parser->add_flag("--write", options->write, "Edit the files in place, all or none")
      ->excludes(folder);
  parser->footer("Without -o and --write nothing is written: the diff goes to stdout.");
  auto execute = [options](const ForwardedWords &words) -> int {
    if (options->plan.empty() == options->layout.empty())
      return report(
          Error{Code::InvalidCommandLine, "rewrite needs either --plan or --layout", {}, {}});
    auto paths = findInstallPaths();
    if (!paths)
      return report(paths.error());
    const instrument::CompileCommand command =
        instrument::commandFor(options->files, words.compilerFlags, paths->cudaHeaders);
    auto rewrite = carryOutWithAnyHeaders(options->plan, options->layout, command);
    if (!rewrite)
      return report(rewrite.error());
    printDiagnostics(rewrite->findings);
    if (rewrite->refused())
      return kRefused;
    const std::string diff = instrument::unifiedDiff(rewrite->sources);
    if (diff.empty()) {
      fmt::print(stderr, "nothing to rewrite: the plan leaves every array as it is\n");
      return kDone;
    }
    fmt::print("{}", diff);
    const std::string target = options->write ? sourceRoot(rewrite->sources) : options->folder;
    if (!target.empty()) {
      if (auto written = instrument::writeSources(rewrite->sources, target); !written)
        return report(written.error());
      fmt::print(stderr, "written to {}\n", target);
    }
    return kDone;
  };
  return {parser, true, false, execute};
}

} // namespace relayout::tool
