// SPDX-License-Identifier: Apache-2.0
// Kernels of a rewritten program that nvcc would keep short of registers.
#pragma once

#include "stages/optimize_run.h"

#include "relayout/analysis/replay/search/launch_bounds.h"
#include "relayout/instrument/parsed_program.h"

#include <string>
#include <vector>

namespace relayout::tool {

/// Adds the original and all alternatives with bounds to what is measured on the GPU, where kernels
/// may gain by them. Nothing where layouts are asked for, or may not be compiled.
/// \error whatever the rewriter or the file system reports
[[nodiscard]] Result<void> addBoundedAlternatives(const OptimizeRun &run,
                                                  const instrument::ParsedProgram &parsed,
                                                  Decided &decided);

/// Bounds kernels of the choice that gain by a margin, where nvcc is installed.
/// \returns  whether there are any
/// \error as addBoundedAlternatives()
[[nodiscard]] Result<bool> boundChoice(const OptimizeRun &run,
                                       const instrument::ParsedProgram &parsed, Decided &decided);

/// For the report: a table, and what it means.
[[nodiscard]] std::string describe(const std::vector<analysis::BoundedKernel> &kernels);

} // namespace relayout::tool
