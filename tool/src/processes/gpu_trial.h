// SPDX-License-Identifier: Apache-2.0
// Tries this machine's GPU in child processes, so that whatever happens to them is only reported.
#pragma once

#include "relayout/base/result.h"
#include "relayout/gpu/counter_report.h"
#include "relayout/gpu/doctor_kernel.h"

#include <string>
#include <vector>

namespace relayout::tool {

/// The command that makes a child run the kernel and write what it saw: `relayout doctor --try
/// FILE`.
[[nodiscard]] std::vector<std::string> trialCommand(const std::string &file);

/// What the child does.
/// \error RL-F02 the file cannot be written
[[nodiscard]] Result<void> runTrial(const std::string &file);

/// Lists the GPUs and runs a kernel. A child that dies is a trial that failed.
/// \error RL-F02 there is no room for temporary files; RL-X02 relayout cannot start itself
[[nodiscard]] Result<gpu::GpuTrial> tryGpuInChild();

} // namespace relayout::tool
