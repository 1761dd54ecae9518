// SPDX-License-Identifier: Apache-2.0
// The subcommands of the `relayout` program; each lives in its own file.
#pragma once

#include "reports/exit_codes.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace relayout::tool {

/// Words that CLI11 does not parse: they belong to the compiler or to the user's program.
struct ForwardedWords {
  std::vector<std::string> compilerFlags;
  std::vector<std::string> programArguments; ///< after `--`
  std::vector<std::string> commandLine;      ///< all that follows `relayout`
};

/// A subcommand after registration: its parser and what to do once that has run.
struct Command {
  CLI::App *parser = nullptr;
  bool takesCompilerFlags = false;
  bool takesProgramArguments = false;
  std::function<int(const ForwardedWords &)> execute;
  bool answers = true; ///< --json; false: its output is a script or a compiler's
};

#define COMMAND(name, registration) Command registration(CLI::App &app);
#include "commands/commands.def"
#undef COMMAND

} // namespace relayout::tool
