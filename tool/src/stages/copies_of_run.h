// SPDX-License-Identifier: Apache-2.0
// What a program copies out of device memory when it runs on the CPU.
#pragma once

#include "stages/copy_comparison.h"
#include "stages/host_program.h"

#include <chrono>
#include <string>
#include <vector>

namespace relayout::tool {

struct CopiesOfRun {
  Copies copies;
  bool isEnded = false; ///< before the program had made all
  int exitCode = 0;
  std::chrono::seconds took{0}; ///< rounded up
};

/// \error RL-X04 the program fails; RL-T… its trace
[[nodiscard]] Result<CopiesOfRun> runForCopies(const HostProgram &program,
                                               const std::vector<std::string> &arguments,
                                               TraceOptions options, unsigned workers);

} // namespace relayout::tool
