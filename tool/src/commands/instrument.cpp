// SPDX-License-Identifier: Apache-2.0
// `relayout instrument FILE.cu`: the program lowered to traced C++ for the CPU, in a folder.
#include "commands/commands.h"
#include "commands/shared_options.h"
#include "processes/files.h"
#include "reports/answer.h"
#include "reports/console.h"
#include "stages/program_inputs.h"
#include "stages/stages.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>

namespace relayout::tool {

Command registerInstrument(CLI::App &app) {
  struct Options {
    ProgramInputs inputs;
    std::string folder;
  };
  auto options = std::make_shared<Options>();
  CLI::App *parser = app.add_subcommand(
      "instrument", "Lower a CUDA program to traced C++ for the CPU, into a folder");
  addProgramInputs(*parser, options->inputs);
  parser->add_option("-o,--out", options->folder, "Folder for the result [STEM.traced]");
  addAllAccesses(*parser, options->inputs.allAccesses);
  auto execute = [options](const ForwardedWords &words) -> int {
    auto paths = findInstallPaths();
    if (!paths)
      return report(paths.error());
    auto units = programFrom(options->inputs, words.compilerFlags, *paths);
    if (!units)
      return report(units.error());
    const std::string folder =
        options->folder.empty()
            ? std::filesystem::path(units->units.front().file).stem().string() + ".traced"
            : options->folder;
    auto lowered = instrument::lowerForHost(*units, instrument::Probes::Trace);
    if (!lowered)
      return report(lowered.error());
    printDiagnostics(lowered->model.findings);
    auto program = writeHostProgram(*lowered, folder, folder + "/objects");
    if (!program)
      return report(program.error());
    const trace::SiteTable &sites = lowered->model.sites;
    if (auto written = writeFile(folder + "/sites.json", trace::toJson(sites) + "\n"); !written)
      return report(written.error());
    answer("folder", folder);
    answer("sites", nlohmann::ordered_json::parse(trace::toJson(sites)));
    fmt::print("{}: {} records, {} array groups, {} sites in {} kernels; next: relayout run {} -- "
               "ARGS\n",
               folder, sites.records.size(), sites.groups.size(), sites.sites.size(),
               sites.kernels.size(), folder);
    return kDone;
  };
  return {parser, true, false, execute};
}

} // namespace relayout::tool
