// SPDX-License-Identifier: Apache-2.0
// What nvcc makes of versions of a program, where it is installed; no GPU is needed.
#pragma once

#include "stages/gpu_build.h"

#include "relayout/analysis/compiler_model/compiled_kernels.h"
#include "relayout/analysis/gpu/machine.h"
#include "relayout/instrument/parsed_program.h"

#include <map>
#include <string>
#include <vector>

namespace relayout::tool {

/// The kernels of each version for the GPU that is predicted for: only units that define kernels
/// are compiled. None of a version that takes longer than a minute, or than three quarters of a
/// stage's limit: decisions stand without them.
/// \param folder  for objects and the compiler's words
[[nodiscard]] std::map<std::string, analysis::CompiledKernels>
compiledKernels(const instrument::ParsedProgram &parsed, std::vector<GpuVersion> versions,
                const analysis::Machine &machine, const std::string &nvcc,
                const std::string &folder);

} // namespace relayout::tool
