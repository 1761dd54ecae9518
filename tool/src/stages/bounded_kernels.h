// SPDX-License-Identifier: Apache-2.0
// Kernels of a rewritten program that nvcc would keep short of registers.
#pragma once

#include "stages/decide.h"

#include "relayout/analysis/replay/search/launch_bounds.h"
#include "relayout/instrument/parsed_program.h"

#include <string>
#include <vector>

namespace relayout::tool {

/// Compiles the program as a plan has it, without and with launch bounds for all kernels that take
/// a part of the time.
/// \param plan    one that the rewriter does not refuse
/// \param isMeasured  as kernelsToBound() takes it; else kernels that DRAM binds are left out
/// \param folder  for sources, objects and the compiler's words
/// \error whatever the rewriter or the file system reports
[[nodiscard]] Result<std::vector<analysis::BoundedKernel>>
boundedKernels(const instrument::ParsedProgram &parsed, const analysis::Plan &plan,
               const analysis::ReplayAnalysis &analysis, bool isMeasured, const std::string &nvcc,
               const std::string &folder);

/// The names of those, as plans have them.
[[nodiscard]] std::vector<std::string> namesOf(const std::vector<analysis::BoundedKernel> &kernels);

/// For the report: a table, and what it means.
[[nodiscard]] std::string describe(const std::vector<analysis::BoundedKernel> &kernels);

} // namespace relayout::tool
