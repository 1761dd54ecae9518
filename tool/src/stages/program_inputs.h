// SPDX-License-Identifier: Apache-2.0
// Which program a command is about: how users name its translation units.
#pragma once

#include "processes/install_paths.h"
#include "relayout/base/result.h"
#include "relayout/instrument/command.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace relayout::tool {

struct ProgramInputs {
  std::vector<std::string> files = {};
  std::string database = {}; ///< compile_commands.json, or a folder; empty: none
  std::vector<std::string> targets = {};
  bool mayBeSeveral = false; ///< units of several programs, as nothing is linked
  bool allAccesses = false;
  std::string arrays = "all"; ///< or "records"
};

/// The positional `file`, -p, --target and --arrays.
void addProgramInputs(CLI::App &parser, ProgramInputs &inputs);

/// \param flags  the compiler's flags of the command line, for every unit
/// \error RL-U01 neither files nor a database, or one of several programs; RL-F01, RL-F03 the
/// database cannot be read
[[nodiscard]] Result<instrument::Program> programFrom(const ProgramInputs &inputs,
                                                      const std::vector<std::string> &flags,
                                                      const InstallPaths &paths);

} // namespace relayout::tool
