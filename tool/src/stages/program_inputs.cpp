// SPDX-License-Identifier: Apache-2.0
// Which program a command is about: how users name its translation units.
#include "stages/program_inputs.h"

#include "relayout/instrument/compile_database.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace relayout::tool {

void addProgramInputs(CLI::App &parser, ProgramInputs &inputs) {
  parser.add_option("file", inputs.files, "Source files of one program, CUDA and host C++");
  CLI::Option *database = parser.add_option(
      "-p,--build-path", inputs.database,
      "Take units and flags from the compile_commands.json in this folder or around it");
  parser.add_option("--target", inputs.targets, "Of the build's targets only these; may repeat")
      ->needs(database)
      ->allow_extra_args(false);
  parser
      .add_option("--arrays", inputs.arrays,
                  "Arrays to look at: all, or those of records (plain arrays are left alone)")
      ->check(CLI::IsMember({"all", "records"}))
      ->capture_default_str();
}

Result<instrument::Program> programFrom(const ProgramInputs &inputs,
                                        const std::vector<std::string> &flags,
                                        const InstallPaths &paths) {
  instrument::Program program;
  if (!inputs.database.empty()) {
    const auto database = instrument::readCompileDatabase(inputs.database);
    if (!database)
      return tl::unexpected(database.error());
    if (const std::set<std::string> programs = database->programs();
        !inputs.mayBeSeveral && inputs.targets.empty() && inputs.files.empty() &&
        programs.size() > 1)
      return fail(Code::InvalidCommandLine,
                  fmt::format("'{}' is of {} programs; name one with --target: {}", database->path,
                              programs.size(), fmt::join(programs, ", ")));
    auto units = instrument::programOf(*database, inputs.targets, inputs.files, paths.headers());
    if (!units)
      return units;
    program = std::move(*units);
    for (instrument::CompileCommand &unit : program.units)
      unit.flags.insert(unit.flags.end(), flags.begin(), flags.end());
  } else if (inputs.files.empty()) {
    return fail(Code::InvalidCommandLine,
                "no source file; give the program's files, or its build with -p");
  } else {
    program = instrument::programOf(inputs.files, flags, paths.headers());
  }
  for (instrument::CompileCommand &unit : program.units) {
    unit.allAccesses = inputs.allAccesses;
    unit.plainArrays = inputs.arrays == "all";
  }
  return program;
}

} // namespace relayout::tool
