// SPDX-License-Identifier: Apache-2.0
// The subcommands of the `relayout` program; each lives in its own file.
#pragma once

#include "relayout/base/diagnostic_codes.h"

#include <CLI/CLI.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace relayout::tool {

/// Exit codes of every subcommand; `--help` prints them.
inline constexpr int kDone = static_cast<int>(ExitCode::Done);
inline constexpr int kFailed = static_cast<int>(ExitCode::Failed);
inline constexpr int kUsage = static_cast<int>(ExitCode::Usage);
inline constexpr int kRefused = static_cast<int>(ExitCode::Refused);
inline constexpr int kIncomplete = static_cast<int>(ExitCode::Incomplete);

/// Words that CLI11 does not parse: they belong to the compiler or to the user's program.
struct ForwardedWords {
  std::vector<std::string> compilerFlags;
  std::vector<std::string> programArguments; ///< after `--`
};

/// A subcommand after registration: its parser and what to do once that has run.
struct Command {
  CLI::App *parser = nullptr;
  bool takesCompilerFlags = false;
  bool takesProgramArguments = false;
  std::function<int(const ForwardedWords &)> execute;
};

#define COMMAND(name, registration) Command registration(CLI::App &app);
#include "commands/commands.def"
#undef COMMAND

} // namespace relayout::tool
