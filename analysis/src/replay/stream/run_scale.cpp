// SPDX-License-Identifier: Apache-2.0
// The size of a run where the user does not give it.
#include "relayout/analysis/replay/stream/run_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>

namespace relayout::analysis {
namespace {

constexpr double kTimesL2 = 64; ///< so that one field of many does not fit either
constexpr double kLaunches = 100;

bool hasArguments(const trace::Trace &trace) {
  return trace.command.find(' ') != std::string::npos;
}

} // namespace

RunScale runScale(const trace::Trace &trace, const Machine &machine, const AskedScale &asked) {
  RunScale run;
  if (trace.machine.kind == "cpu") {
    std::map<std::uint64_t, std::uint64_t> bytesAt; // freed memory may be reused
    for (const trace::Allocation &allocation : trace.allocations)
      bytesAt[allocation.address] = std::max(bytesAt[allocation.address], allocation.bytes);
    double bytes = 1;
    for (const auto &[address, length] : bytesAt)
      bytes += static_cast<double>(length);
    std::map<trace::Index, double> launches;
    double most = 1;
    for (const trace::Launch &launch : trace.launches)
      most = std::max(most, ++launches[launch.kernel]);
    const auto atLeastOne = [](double factor) { return std::max(1.0, std::ceil(factor)); };
    run.elements = atLeastOne(kTimesL2 * static_cast<double>(machine.l2Bytes) / bytes);
    run.launches = atLeastOne(kLaunches / most);
    run.tracedMayBeReal = !asked.elements && !asked.launches && !hasArguments(trace);
  }
  run.elements = asked.elements.value_or(run.elements);
  run.launches = asked.launches.value_or(run.launches);
  return run;
}

} // namespace relayout::analysis
