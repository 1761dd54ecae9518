// SPDX-License-Identifier: Apache-2.0
// When to measure rather than to rely on a prediction.
#include "replay/search/low_confidence.h"

#include "relayout/analysis/gpu/fit.h"

#include "relayout/analysis/compiler_model/nvcc13.h"
#include "replay/stream/residency.h"
#include "replay/stream/walks.h"

#include <algorithm>

namespace relayout::analysis {

namespace {

/// Whether the kernel may have more than a full SM leaves to each thread.
bool mayLimitWarps(std::uint32_t registers, const Machine &machine) {
  return registers * machine.threadsPerSm >
         nvcc13::kLeastEstimated * static_cast<double>(machine.architecture.registersPerSm);
}

} // namespace

std::vector<LowConfidence> lowConfidenceOf(const trace::Trace &trace, const ReplaySample &sample,
                                           const Machine &machine, const GroupReplay &group,
                                           bool isSizeKnown, bool isCompiled) {
  double totalNs = 0;
  for (const KernelOutcome &outcome : group.kernels)
    totalNs += outcome.before.time.totalNs;
  std::vector<LowConfidence> reasons;
  if (!isSizeKnown && !group.decision.keep && !group.decision.layout.order.isAsNumbered()) {
    const KernelOutcome &longest = *std::ranges::max_element(
        group.kernels, {}, [](const KernelOutcome &kernel) { return kernel.before.time.totalNs; });
    reasons.push_back(
        {LowConfidenceReason::UnknownRows, trace.kernels[longest.kernel], sample.run.elements});
  }
  for (const KernelOutcome &outcome : group.kernels) {
    const KernelTime &time = outcome.before.time;
    if (time.totalNs < fit::kMatters * totalNs)
      continue;
    const std::string &name = trace.kernels[outcome.kernel];
    const auto kernel = std::ranges::find(sample.kernels, outcome.kernel, &KernelSample::kernel);
    if (kernel->unsampled > fit::kMuchUnsampled)
      reasons.push_back({LowConfidenceReason::UnsampledAccesses, name, kernel->unsampled});
    const Resource bound = bindingResource(time);
    const std::uint32_t registers = registersOf(trace, sample.stream.code, outcome.kernel);
    if (!isCompiled && bound != Resource::Dram && mayLimitWarps(registers, machine))
      reasons.push_back(
          {LowConfidenceReason::EstimatedRegisters, name, static_cast<double>(registers)});
    if (bound != Resource::Issue && bound != Resource::Arithmetic && bound != Resource::L1 &&
        bound != Resource::Latency)
      continue;
    if (time.errorOfMachineCode > 0 && isSizeKnown)
      continue;
    const double warps = kernel->scale.blocksOfAnSm(machine) *
                         static_cast<double>(warpsOf(kernel->scale.threadsPerBlock));
    if (!isCompiled && walkOf(trace, sample, *kernel))
      reasons.push_back({LowConfidenceReason::EstimatedLoop, name, warps});
    if (warps <= fit::kFewWarps && time.errorOfMachineCode <= 0)
      reasons.push_back({LowConfidenceReason::FewWarps, name, warps});
    else if (!isSizeKnown)
      reasons.push_back({LowConfidenceReason::UnknownWarps, name, sample.run.elements});
  }
  return reasons;
}

} // namespace relayout::analysis
