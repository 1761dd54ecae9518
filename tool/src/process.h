// SPDX-License-Identifier: Apache-2.0
// Runs compilers and user programs as child processes.
#pragma once

#include "relayout/base/result.h"

#include <map>
#include <string>
#include <vector>

namespace relayout::tool {

struct ProcessRequest {
  std::vector<std::string> command;               ///< program and arguments
  std::map<std::string, std::string> environment; ///< added to ours
  std::string outputFile;                         ///< stdout and stderr go here; empty: inherited
};

struct ProcessResult {
  int exitCode = 0; ///< of exit(); meaningless when signal is not 0
  int signal = 0;   ///< that ended it

  [[nodiscard]] bool succeeded() const { return exitCode == 0 && signal == 0; }
  /// "exit code 3" or "signal 11 (Segmentation fault)".
  [[nodiscard]] std::string describe() const;
};

/// \error RL-X02 the program cannot be started
[[nodiscard]] Result<ProcessResult> runProcess(const ProcessRequest &request);

} // namespace relayout::tool
