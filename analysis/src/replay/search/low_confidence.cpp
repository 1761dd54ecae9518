// SPDX-License-Identifier: Apache-2.0
// Policy replay: when to measure rather than to trust a prediction.
#include "replay/search/low_confidence.h"

#include "relayout/analysis/gpu/fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace relayout::analysis {

std::string doubtOf(const ReplayAnalysis &analysis, const GroupReplay &group) {
  double totalNs = 0;
  for (const KernelOutcome &outcome : group.kernels)
    totalNs += outcome.before.time.totalNs;
  std::vector<std::string> doubts;
  for (const KernelOutcome &outcome : group.kernels) {
    const KernelTime &time = outcome.before.time;
    if (time.totalNs < fit::kMatters * totalNs)
      continue;
    const std::string &name = analysis.trace.kernels[outcome.kernel];
    const auto sample =
        std::ranges::find(analysis.sample.kernels, outcome.kernel, &KernelSample::kernel);
    if (sample->unseen > fit::kMuchUnsampled)
      doubts.push_back(
          fmt::format("{:.0f} % of what '{}' accesses was not seen", 100 * sample->unseen, name));
    const KernelScale &scale = sample->scale;
    const double warps =
        scale.blocksOfAnSm(analysis.machine) * static_cast<double>(warpsOf(scale.threadsPerBlock));
    const Resource bound = bindingResource(time);
    if (warps <= fit::kFewWarps &&
        (bound == Resource::Issue || bound == Resource::L1 || bound == Resource::Latency))
      doubts.push_back(fmt::format("'{}' has {:g} warps an SM, so few that they do not hide the "
                                   "order of its instructions, which the compiler chooses anew for "
                                   "each layout and the model does not see",
                                   name, warps));
  }
  return fmt::format("{}", fmt::join(doubts, "; "));
}

} // namespace relayout::analysis
