// SPDX-License-Identifier: Apache-2.0
// Compiles versions, and reads what ptxas says of their kernels, and the code of these.
#include "stages/compiled_kernels.h"

#include "processes/files.h"
#include "reports/stage_limit.h"

#include "relayout/analysis/compiler_model/lone_warp.h"
#include "relayout/instrument/clang/kernel_definitions.h"

#include <algorithm>
#include <chrono>

namespace relayout::tool {
namespace {

/// "9.0" is "-arch=sm_90".
std::string archFlag(const analysis::Machine &machine) {
  std::string digits = machine.computeCapability;
  std::erase(digits, '.');
  return "-arch=sm_" + digits;
}

/// Decisions stand without what nvcc would say, and nobody waits for minutes for it.
std::chrono::seconds longestCompile() {
  constexpr std::chrono::seconds kLongest(60);
  const std::chrono::seconds own = stageLimit() * 3 / 4;
  return own.count() == 0 ? kLongest : std::min(own, kLongest);
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
compiledKernels(const instrument::ParsedProgram &parsed, std::vector<GpuVersion> versions,
                const analysis::Machine &machine, const std::string &nvcc,
                const std::string &folder) {
  std::map<std::string, analysis::CompiledKernels> kernels;
  const auto units = parsed.units(instrument::Pass::Host);
  if (!units)
    return kernels;
  instrument::Program program = parsed.program();
  for (std::size_t u = program.units.size(); u-- > 0;) {
    if (instrument::definesKernels(*(**units)[u]))
      continue;
    const auto at = static_cast<std::ptrdiff_t>(u);
    program.units.erase(program.units.begin() + at);
    for (GpuVersion &version : versions)
      version.units.erase(version.units.begin() + at);
  }
  for (const auto &[version, compiled] :
       compileForGpu(program, versions, nvcc, folder,
                     {archFlag(machine), "-Xptxas=-v", "--no-compress"}, longestCompile()))
    for (const CompiledUnit &unit : compiled)
      kernels[version].merge(kernelsOf(unit, machine));
  return kernels;
}

} // namespace relayout::tool
