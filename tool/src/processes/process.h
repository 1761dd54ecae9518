// SPDX-License-Identifier: Apache-2.0
// Runs compilers and user programs as child processes.
#pragma once

#include "relayout/base/result.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace relayout::tool {

struct ProcessRequest {
  std::vector<std::string> command;               ///< program and arguments
  std::map<std::string, std::string> environment; ///< added to ours
  std::string outputFile;                         ///< stdout and stderr go here; empty: inherited
  /// After which it is killed, with all that it started; 0: never. It reads no input then.
  std::chrono::seconds limit{0};
};

struct ProcessResult {
  int exitCode = 0;                 ///< of exit(); meaningless when signal is not 0
  int signal = 0;                   ///< that ended it
  std::chrono::seconds exceeded{0}; ///< the limit for which it was killed; 0: it ended by itself

  [[nodiscard]] bool succeeded() const { return exitCode == 0 && signal == 0; }
  /// "exit code 3", "signal 11 (Segmentation fault)" or "no end after 600 s".
  [[nodiscard]] std::string describe() const;
};

/// \error RL-X02 the program cannot be started
[[nodiscard]] Result<ProcessResult> runProcess(const ProcessRequest &request);

/// From here on, a signal that asks us to end (SIGINT, SIGTERM, SIGHUP) also ends the processes
/// that have a limit: a terminal does not reach them, as they are no longer in our group.
/// \param lastWords  for stderr then; must live as long as the process
void endProcessesWithUs(const char *lastWords);

} // namespace relayout::tool
