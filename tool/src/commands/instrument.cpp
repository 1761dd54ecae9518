// SPDX-License-Identifier: Apache-2.0
// `relayout instrument FILE.cu`: the program lowered to traced C++ for the CPU, in a folder.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/files.h"
#include "reports/console.h"
#include "stages/stages.h"

#include <fmt/format.h>

#include <filesystem>

namespace relayout::tool {

Command registerInstrument(CLI::App &app) {
  struct Options {
    std::vector<std::string> files;
    std::string folder;
    bool allAccesses = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand(
      "instrument", "Lower a CUDA program to traced C++ for the CPU, into a folder");
  parser->add_option("file", options->files, "CUDA source files of one program")->required();
  parser->add_option("-o,--out", options->folder, "Folder for the result [STEM.traced]");
  addAllAccesses(*parser, options->allAccesses);
  auto execute = [options](const ForwardedWords &words) -> int {
    auto paths = findInstallPaths();
    if (!paths)
      return report(paths.error());
    const std::string folder =
        options->folder.empty()
            ? std::filesystem::path(options->files.front()).stem().string() + ".traced"
            : options->folder;
    instrument::CompileCommand command =
        instrument::commandFor(options->files, words.compilerFlags, paths->cudaHeaders);
    command.allAccesses = options->allAccesses;
    auto lowered = instrument::lowerForHost(command, instrument::Probes::Trace);
    if (!lowered)
      return report(lowered.error());
    printDiagnostics(lowered->model.findings);
    auto program = writeHostProgram(*lowered, command, folder);
    if (!program)
      return report(program.error());
    const trace::SiteTable &sites = lowered->model.sites;
    if (auto written = writeFile(folder + "/sites.json", trace::toJson(sites) + "\n"); !written)
      return report(written.error());
    fmt::print("{}: {} records, {} array groups, {} sites in {} kernels; next: relayout run {} -- "
               "ARGS\n",
               folder, sites.records.size(), sites.groups.size(), sites.sites.size(),
               sites.kernels.size(), folder);
    return kDone;
  };
  return {parser, true, false, execute};
}

} // namespace relayout::tool
