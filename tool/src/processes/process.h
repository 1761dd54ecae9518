// SPDX-License-Identifier: Apache-2.0
// Runs compilers and user programs as child processes.
#pragma once

#include "relayout/base/result.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace relayout::tool {

/// What a child reads.
enum class Input {
  Nothing,
  Ours ///< as InputForRun gives it: the same for each child
};

struct ProcessRequest {
  std::vector<std::string> command{};               ///< program and arguments
  std::map<std::string, std::string> environment{}; ///< added to ours
  std::string outputFile{};                         ///< stdout and stderr go here; empty: inherited
  /// After which it is killed, with all that it started; 0: never.
  std::chrono::seconds limit{0};
  Input input = Input::Nothing;
  std::string folder{}; ///< it works in; empty: ours
};

struct ProcessResult {
  int exitCode = 0;                 ///< of exit(); meaningless when signal is not 0
  int signal = 0;                   ///< that ended it
  std::chrono::seconds exceeded{0}; ///< the limit for which it was killed; 0: it ended by itself

  [[nodiscard]] bool succeeded() const { return exitCode == 0 && signal == 0; }
  /// "ended with exit code 3", "ended with signal 11 (Segmentation fault)" or "timed out after
  /// 600 s", to follow the program's name.
  [[nodiscard]] std::string describe() const;
};

/// Starts the program in a process group of its own, which ends when this process does, and waits
/// for it.
/// \error RL-X02 the program cannot be started
[[nodiscard]] Result<ProcessResult> runProcess(const ProcessRequest &request);

/// What a child's output says first of an error, else its last line.
[[nodiscard]] std::string errorLineOf(const std::string &output);

} // namespace relayout::tool
