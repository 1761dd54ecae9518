// SPDX-License-Identifier: Apache-2.0
// The GPU of this machine, and the compiler for it.
#pragma once

#include "relayout/base/result.h"

#include <string>

namespace relayout::tool {

struct GpuMachine {
  std::string gpu; ///< the first one's name, as NVIDIA's driver has it
  std::string driver;
  std::string computeCapability; ///< "9.0"; empty: not known
  std::string nvcc;              ///< version
  std::string compiler;          ///< path of nvcc
};

/// Asks nvidia-smi and nvcc.
/// \error RL-G05 there is no GPU, or no nvcc
[[nodiscard]] Result<GpuMachine> findGpuMachine();

} // namespace relayout::tool
