// SPDX-License-Identifier: Apache-2.0
// Puts the parts of the compiler model together.
#include "relayout/analysis/compiler_model/program_code.h"

#include "compiler_model/instruction_weights.h"
#include "compiler_model/straight_line.h"
#include "relayout/analysis/compiler_model/nvcc13.h"

#include <algorithm>

namespace relayout::analysis {

ProgramCode codeOf(const trace::SiteTable &sites) {
  ProgramCode code;
  code.regions.resize(sites.sites.size());
  for (const trace::Loop &loop : sites.loops)
    code.loops.push_back({.arithmetic = arithmeticOf(loop.operations)});
  for (const trace::Kernel &kernel : sites.kernels)
    code.kernels.push_back({arithmeticOf(kernel.operations),
                            kernel.liveWords ? std::min(nvcc13::kTemporaries + *kernel.liveWords,
                                                        nvcc13::kMostRegisters)
                                             : 0});
  findStraightLineCode(sites.outlines, code);
  return code;
}

} // namespace relayout::analysis
