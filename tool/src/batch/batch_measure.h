// SPDX-License-Identifier: Apache-2.0
// The part of a batch that needs a GPU: build, verify and time every variant of one program.
#pragma once

#include "batch/batch_steps.h"
#include "processes/gpu_machine.h"

#include <optional>
#include <string>

namespace relayout::tool {

/// Digest of what the GPU part depends on.
[[nodiscard]] std::string measurementDigest(const BatchProgram &program, const BatchResult &result,
                                            const BatchSettings &settings,
                                            const GpuMachine &machine);

/// Builds all variants with nvcc, several at a time; compares every device-to-host copy with the
/// original's; then runs the variants in turn, so that drift of the machine meets all alike, once
/// to warm up and `runs` times for the figure of merit. \param builders  compilers at a time; 0:
/// one a core
void measureProgram(const BatchProgram &program, const BatchSettings &settings,
                    const GpuMachine &machine, unsigned builders, BatchResult &result,
                    const StepSink &step);

/// How many times measureProgram calls its sink.
[[nodiscard]] std::size_t measurementSteps(const BatchSettings &settings);

/// The number that a figure's pattern finds in a program's output.
[[nodiscard]] std::optional<double> figureIn(const std::string &output, const std::string &pattern);

} // namespace relayout::tool
