// SPDX-License-Identifier: Apache-2.0
// The compiler model: what nvcc really makes of a program, where it is installed.
#pragma once

#include "relayout/analysis/compiler_model/machine_code.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::analysis {

/// A kernel as ptxas assembles it; of instantiations of a template the most.
struct CompiledKernel {
  std::uint32_t registers = 0;  ///< of a thread
  std::uint64_t spillBytes = 0; ///< of a thread: stores and loads of values without a register
  std::vector<MachineLoop> loops = {}; ///< as machineLoops() finds them; none: not known
  double loneCycles = 0;               ///< as loneWarpCycles() has them; 0: not known
};

/// By the kernel's name in a trace.
using CompiledKernels = std::map<std::string, CompiledKernel>;

/// \param words  of `nvcc -Xptxas -v`; other lines between its own are skipped
[[nodiscard]] CompiledKernels compiledKernels(std::string_view words);

} // namespace relayout::analysis
