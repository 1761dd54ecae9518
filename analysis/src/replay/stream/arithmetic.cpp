// SPDX-License-Identifier: Apache-2.0
// Scales the source's arithmetic by exact counts.
#include "replay/stream/arithmetic.h"

#include "relayout/analysis/gpu/geometry.h"

#include <algorithm>
#include <map>

namespace relayout::analysis {
namespace {

/// Iterations of each loop (index into SiteTable::loops), a warp counting while a lane is inside:
/// as counted, or as often as an access that stands in it was executed.
std::map<trace::Index, double> iterationsOf(const trace::Trace &trace, trace::Index kernel,
                                            trace::Index row) {
  std::map<std::uint32_t, double> executed;
  for (const trace::SiteCount &count : trace.counts)
    if (count.kernel == kernel)
      executed[count.site] += static_cast<double>(count.warpAccesses);
  std::map<trace::Index, double> iterations;
  for (const trace::Reach &reach : trace.sites.reaches)
    if (reach.kernel == row && reach.loop != trace::kNone)
      if (const auto count = executed.find(trace.sites.sites[reach.site].id);
          count != executed.end()) {
        double &known = iterations[reach.loop];
        known = std::max(known, count->second);
      }
  for (trace::Index i = 0; i < trace.sites.loops.size(); ++i)
    for (const trace::LoopCount &count : trace.loops)
      if (count.kernel == kernel && count.loop == trace.sites.loops[i].id)
        iterations[i] = static_cast<double>(count.warpIterations);
  return iterations;
}

/// Into SiteTable::kernels; kNone: it is not there.
trace::Index rowOf(const trace::Trace &trace, trace::Index kernel) {
  const auto row =
      std::ranges::find(trace.sites.kernels, trace.kernels[kernel], &trace::Kernel::name);
  return row == trace.sites.kernels.end()
             ? trace::kNone
             : static_cast<trace::Index>(row - trace.sites.kernels.begin());
}

} // namespace

double tracedWarps(const trace::Trace &trace, trace::Index kernel) {
  double warps = 0;
  for (const trace::Launch &launch : trace.launches)
    if (launch.kernel == kernel)
      warps += static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2] *
               static_cast<double>(
                   warpsOf(std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2]));
  // Launches beyond the listed ones are taken to be like these.
  return warps * static_cast<double>(std::max<std::uint64_t>(trace.launchesExecuted, 1)) /
         static_cast<double>(std::max<std::size_t>(trace.launches.size(), 1));
}

double loopIterations(const trace::Trace &trace, trace::Index kernel, trace::Index loop) {
  const auto iterations = iterationsOf(trace, kernel, rowOf(trace, kernel));
  const auto known = iterations.find(loop);
  return known == iterations.end() ? 0 : known->second;
}

Arithmetic arithmeticOf(const trace::Trace &trace, const ProgramCode &code, trace::Index kernel) {
  const trace::Index index = rowOf(trace, kernel);
  if (index == trace::kNone || trace.launches.empty())
    return {};
  Arithmetic all = tracedWarps(trace, kernel) * code.kernels[index].arithmetic;
  for (const auto &[loop, iterations] : iterationsOf(trace, kernel, index))
    all += iterations * code.loops[loop].arithmetic;
  return all;
}

} // namespace relayout::analysis
