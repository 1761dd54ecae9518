// SPDX-License-Identifier: Apache-2.0
// The size of a run where the user does not give it.
#include "relayout/analysis/replay/stream/run_scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace relayout::analysis {
namespace {

constexpr double kTimesL2 = 64; ///< so that one field of many does not fit either
constexpr double kLaunches = 100;

bool hasArguments(const trace::Trace &trace) {
  return trace.command.find(' ') != std::string::npos;
}

double allocatedBytes(const trace::Trace &trace) {
  std::map<std::uint64_t, std::uint64_t> bytesAt; // freed memory may be reused
  for (const trace::Allocation &allocation : trace.allocations)
    if (!trace::isInSharedMemory(trace.sites, allocation.group))
      bytesAt[allocation.address] = std::max(bytesAt[allocation.address], allocation.bytes);
  double bytes = 1;
  for (const auto &[address, length] : bytesAt)
    bytes += static_cast<double>(length);
  return bytes;
}

double launchesOfTheBusiest(const trace::Trace &trace) {
  std::map<trace::Index, double> launches;
  double most = 1;
  for (const trace::Launch &launch : trace.launches)
    most = std::max(most, ++launches[launch.kernel]);
  return most;
}

/// Whether all arrays are as large in every run.
bool isOfVariables(const trace::Trace &trace) {
  return !trace.allocations.empty() &&
         std::ranges::all_of(trace.allocations, &trace::Allocation::isVariable);
}

} // namespace

RunScale runScale(const trace::Trace &trace, const Machine &machine, const AskedScale &asked) {
  RunScale run;
  if (trace.machine.kind == "cpu") {
    const auto atLeastOne = [](double factor) { return std::max(1.0, std::ceil(factor)); };
    if (!isOfVariables(trace))
      run.elements =
          atLeastOne(kTimesL2 * static_cast<double>(machine.l2Bytes) / allocatedBytes(trace));
    if (trace.sites.repeatsLaunches)
      run.launches = atLeastOne(kLaunches / launchesOfTheBusiest(trace));
    run.tracedMayBeReal =
        !asked.elements && !asked.launches && !hasArguments(trace) && !trace.sites.readsInput;
  }
  run.elements = asked.elements.value_or(run.elements);
  run.isAsked = asked.elements.has_value();
  run.launches = asked.launches.value_or(run.launches);
  return run;
}

RunScale otherRunScale(const trace::Trace &first, const RunScale &scale, const trace::Trace &other,
                       double elements) {
  RunScale run;
  run.elements = scale.elements / elements;
  run.launches = scale.launches * launchesOfTheBusiest(first) / launchesOfTheBusiest(other);
  return run;
}

Result<void> requireSameProgram(const trace::Trace &first, const trace::Trace &other) {
  const auto ids = [](const trace::Trace &trace) {
    std::vector<std::uint32_t> ids;
    for (const trace::Site &site : trace.sites.sites)
      ids.push_back(site.id);
    return ids;
  };
  if (first.sites.sourceDigest == other.sites.sourceDigest && ids(first) == ids(other) &&
      first.sites.groups.size() == other.sites.groups.size())
    return {};
  return fail(Code::TraceOfAnotherProgram,
              fmt::format("two traces of one program show how it grows; got one of '{}' with {} "
                          "sites beside one of '{}' with {}",
                          other.sites.sourceFile, other.sites.sites.size(), first.sites.sourceFile,
                          first.sites.sites.size()));
}

} // namespace relayout::analysis
