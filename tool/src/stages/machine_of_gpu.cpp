// SPDX-License-Identifier: Apache-2.0
// Which machine file policy replay takes for the GPU of this machine.
#include "stages/machine_of_gpu.h"

#include "processes/files.h"
#include "processes/install_paths.h"

#include "relayout/analysis/gpu/machine.h"

#include <algorithm>
#include <tuple>

namespace relayout::tool {
namespace {

std::size_t commonLength(const std::string &a, const std::string &b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

} // namespace

void predictFor(const GpuMachine &gpu, DecideOptions &options) {
  if (!options.machine.empty() || options.policy != "replay")
    return;
  std::tuple<bool, bool, std::size_t> best{false, false, 0};
  for (const std::string &file : shippedMachineFiles()) {
    const auto text = readFile(file);
    const auto machine = text ? analysis::machineFromJson(*text) : Result<analysis::Machine>();
    if (!text || !machine)
      continue;
    const std::tuple fit{machine->name == gpu.gpu,
                         machine->computeCapability == gpu.computeCapability,
                         commonLength(machine->name, gpu.gpu)};
    if (!options.machine.empty() && fit <= best)
      continue;
    best = fit;
    options.machine = file;
    options.machineIsFor = std::get<0>(fit) ? "" : gpu.gpu;
  }
}

} // namespace relayout::tool
