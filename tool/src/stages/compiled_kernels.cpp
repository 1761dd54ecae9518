// SPDX-License-Identifier: Apache-2.0
// Compiles versions, and reads what ptxas says of their kernels, and the code of these.
#include "stages/compiled_kernels.h"

#include "processes/files.h"
#include "reports/stage_limit.h"

#include "relayout/analysis/compiler_model/lone_warp.h"

#include <algorithm>

namespace relayout::tool {
namespace {

/// "9.0" is "-arch=sm_90".
std::string archFlag(const analysis::Machine &machine) {
  std::string digits = machine.computeCapability;
  std::erase(digits, '.');
  return "-arch=sm_" + digits;
}

analysis::CompiledKernels kernelsOf(const CompiledUnit &unit, const analysis::Machine &machine) {
  const auto words = readFile(unit.log);
  const auto object = readFile(unit.object);
  if (!words || !object)
    return {};
  analysis::CompiledKernels kernels = analysis::compiledKernels(*words);
  for (auto &[name, loops] : analysis::machineLoops(*object))
    if (const auto known = kernels.find(name); known != kernels.end())
      known->second.loops = std::move(loops);
  for (const auto &[name, code] : analysis::machineKernels(*object))
    if (const auto known = kernels.find(name); known != kernels.end())
      known->second.loneCycles = analysis::loneWarpCycles(code, machine);
  return kernels;
}

} // namespace

std::map<std::string, analysis::CompiledKernels>
compiledKernels(const instrument::Program &program, const std::vector<GpuVersion> &versions,
                const analysis::Machine &machine, const std::string &nvcc,
                const std::string &folder) {
  std::map<std::string, analysis::CompiledKernels> kernels;
  for (const auto &[version, units] :
       compileForGpu(program, versions, nvcc, folder,
                     {archFlag(machine), "-Xptxas=-v", "--no-compress"}, stageLimit() * 3 / 4))
    for (const CompiledUnit &unit : units)
      kernels[version].merge(kernelsOf(unit, machine));
  return kernels;
}

} // namespace relayout::tool
