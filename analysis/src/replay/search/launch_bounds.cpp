// SPDX-License-Identifier: Apache-2.0
// Weighs what a warp gains against the warps that no longer fit.
#include "relayout/analysis/replay/search/launch_bounds.h"

#include "relayout/analysis/gpu/fit.h"
#include "replay/stream/residency.h"

#include <algorithm>
#include <optional>

namespace relayout::analysis {
namespace {

/// Of the largest launch.
const trace::Launch *launchOf(const trace::Trace &trace, const std::string &kernel) {
  const auto blocksOf = [](const trace::Launch &launch) {
    return std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  };
  const trace::Launch *largest = nullptr;
  for (const trace::Launch &launch : trace.launches)
    if (trace.kernels[launch.kernel] == kernel &&
        (largest == nullptr || blocksOf(*largest) < blocksOf(launch)))
      largest = &launch;
  return largest;
}

std::optional<BoundedKernel> compared(const std::string &name, const CompiledKernel &asWritten,
                                      const CompiledKernel &bounded, const trace::Launch &launch,
                                      const Machine &machine) {
  if (asWritten.loneCycles == 0 || bounded.loneCycles == 0 ||
      bounded.spillBytes > asWritten.spillBytes || bounded.registers <= asWritten.registers)
    return std::nullopt;
  const auto blocks = [&](std::uint32_t registers) {
    return static_cast<double>(residency(launch, registers, machine).blocks);
  };
  return BoundedKernel{name, asWritten.registers, bounded.registers,
                       bounded.loneCycles / asWritten.loneCycles,
                       blocks(bounded.registers) / blocks(asWritten.registers)};
}

} // namespace

std::vector<BoundedKernel> kernelsToBound(const trace::Trace &trace,
                                          const CompiledKernels &asWritten,
                                          const CompiledKernels &bounded,
                                          const std::set<std::string> &candidates,
                                          const Machine &machine, bool isMeasured) {
  const double most = isMeasured ? fit::kMostTimeOfWarpsMeasured : fit::kMostTimeOfWarpsUnmeasured;
  std::vector<BoundedKernel> gaining;
  for (const auto &[name, kernel] : asWritten) {
    const auto twin = bounded.find(name);
    const trace::Launch *launch = launchOf(trace, name);
    if (twin == bounded.end() || launch == nullptr || !candidates.contains(name))
      continue;
    const auto found = compared(name, kernel, twin->second, *launch, machine);
    if (found && found->loneTime <= fit::kMostLoneTime && found->loneTime <= most * found->warps)
      gaining.push_back(*found);
  }
  return gaining;
}

} // namespace relayout::analysis
