// SPDX-License-Identifier: Apache-2.0
// What nvcc makes of versions of a program, where it is installed; no GPU is needed.
#pragma once

#include "stages/gpu_build.h"

#include "relayout/analysis/compiler_model/compiled_kernels.h"
#include "relayout/analysis/gpu/machine.h"

#include <map>
#include <string>
#include <vector>

namespace relayout::tool {

/// The kernels of each version for the GPU that is predicted for; none of one that does not compile
/// within three quarters of a stage's limit: decisions stand without them.
/// \param folder  for objects and the compiler's words
[[nodiscard]] std::map<std::string, analysis::CompiledKernels>
compiledKernels(const instrument::Program &program, const std::vector<GpuVersion> &versions,
                const analysis::Machine &machine, const std::string &nvcc,
                const std::string &folder);

} // namespace relayout::tool
