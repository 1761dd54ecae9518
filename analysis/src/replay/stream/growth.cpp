// SPDX-License-Identifier: Apache-2.0
// Powers from two sizes.
#include "relayout/analysis/replay/stream/growth.h"

#include "relayout/analysis/gpu/fit.h"
#include "replay/stream/arithmetic.h"
#include "replay/stream/reach.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace relayout::analysis {
namespace {

/// What is counted of one kernel of one run.
struct Counted {
  double launches = 0;
  double blocks = 0; ///< of all these launches
  std::map<std::uint32_t, double> accesses;
  Arithmetic arithmetic;
  std::map<std::vector<std::uint32_t>, double> apart;
};

std::map<std::string, Counted> countedIn(const trace::Trace &trace, const ReplaySample &sample) {
  std::map<std::string, Counted> kernels;
  for (const trace::Launch &launch : trace.launches) {
    Counted &kernel = kernels[trace.kernels[launch.kernel]];
    ++kernel.launches;
    kernel.blocks += static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
  }
  for (const trace::SiteCount &row : trace.counts)
    if (const auto site = trace::findSite(trace.sites, row.site))
      kernels[trace.kernels[row.kernel]].accesses[*site] += static_cast<double>(row.warpAccesses);
  for (trace::Index k = 0; k < trace.kernels.size(); ++k)
    kernels[trace.kernels[k]].arithmetic = arithmeticOf(trace, sample.stream.code, k);
  for (const KernelSample &kernel : sample.kernels) {
    const std::vector<AccessSet> &sets = sample.stream.kernels[kernel.kernel].accessSets;
    const std::vector<Reach> reaches = reachesOf(kernel, sets.size());
    Counted &counted = kernels[trace.kernels[kernel.kernel]];
    for (std::size_t s = 0; s < sets.size(); ++s) {
      if (reaches[s].apart == 0)
        continue; // its lanes rise evenly
      double &apart = counted.apart[sets[s].sites];
      apart = std::max(apart, reaches[s].apart);
    }
  }
  return kernels;
}

/// Grids of small runs have borders, so that powers are not exact.
double powerNear(double power) {
  const double known = std::round(power * fit::kPowersAUnit) / fit::kPowersAUnit;
  return std::abs(power - known) < fit::kNearPower
             ? known
             : std::clamp<double>(power, -fit::kHighestPower, fit::kHighestPower);
}

bool isGrowth(double times) { return std::max(times, 1 / times) >= fit::kLeastGrowth; }

/// Powers of one growth.
class Powers {
public:
  explicit Powers(double elements) : logElements_(std::log(elements)) {}

  /// \param unknown  where there was nothing in one of the runs
  [[nodiscard]] double of(double first, double second, double unknown) const {
    return first <= 0 || second <= 0 ? unknown : powerNear(std::log(second / first) / logElements_);
  }

private:
  double logElements_;
};

/// \param steps  how many times as often the busiest kernel is launched in the second run
KernelLaw lawOf(const Counted &first, const Counted &second, double steps, const Powers &powers) {
  KernelLaw law;
  // Runs of as many steps show how launches grow with the elements; others, whether they are made
  // in every step.
  if (!isGrowth(steps))
    law.launches = powers.of(first.launches, second.launches, 0);
  else
    law.launchesBySteps =
        std::clamp(Powers(steps).of(first.launches, second.launches, 1), 0.0, 1.0);
  const auto ofALaunch = [&](double one, double two) {
    return powers.of(one / std::max(first.launches, 1.0), two / std::max(second.launches, 1.0), 1);
  };
  law.blocks = ofALaunch(first.blocks, second.blocks);
  law.arithmetic = ofALaunch(first.arithmetic.instructions, second.arithmetic.instructions);
  for (const auto &[site, count] : first.accesses)
    if (const auto there = second.accesses.find(site); there != second.accesses.end())
      law.accesses[site] = ofALaunch(count, there->second);
  for (const auto &[sites, apart] : first.apart)
    if (const auto there = second.apart.find(sites); there != second.apart.end())
      law.apart[sites] = std::clamp(powers.of(apart, there->second, 0), 0.0, 1.0);
  return law;
}

/// By group.
std::vector<double> elementsOfGroups(const trace::Trace &trace, const ReplaySample &sample) {
  std::vector<double> elements(trace.sites.groups.size());
  for (const ReplayArray &array : sample.stream.arrays)
    if (array.group != trace::kNone && !trace::isInSharedMemory(trace.sites, array.group))
      elements[array.group] += static_cast<double>(array.elements);
  return elements;
}

double mostLaunches(const std::map<std::string, Counted> &kernels) {
  double most = 1;
  for (const auto &[name, kernel] : kernels)
    most = std::max(most, kernel.launches);
  return most;
}

} // namespace

double elementsGrowth(const trace::Trace &first, const ReplaySample &firstSample,
                      const trace::Trace &second, const ReplaySample &secondSample) {
  const std::vector<double> before = elementsOfGroups(first, firstSample);
  const std::vector<double> after = elementsOfGroups(second, secondSample);
  std::vector<std::pair<double, double>> grown; // times, and bytes that grew so
  double all = 0;
  for (std::size_t g = 0; g < before.size(); ++g) {
    if (before[g] == 0 || after[g] == 0)
      continue;
    const trace::Record &record = first.sites.records[first.sites.groups[g].record];
    grown.emplace_back(after[g] / before[g], std::max(before[g], after[g]) * record.bytes);
    all += grown.back().second;
  }
  std::ranges::sort(grown);
  double seen = 0;
  for (const auto &[times, bytes] : grown)
    if ((seen += bytes) >= all / 2)
      return times;
  return 1;
}

std::optional<GrowthLaw> growthOf(const trace::Trace &first, const ReplaySample &firstSample,
                                  const trace::Trace &second, const ReplaySample &secondSample) {
  GrowthLaw law;
  law.elements = elementsGrowth(first, firstSample, second, secondSample);
  if (!isGrowth(law.elements))
    return std::nullopt;
  const auto before = countedIn(first, firstSample);
  const auto after = countedIn(second, secondSample);
  const double steps = mostLaunches(after) / mostLaunches(before);
  const Powers powers(law.elements);
  for (const auto &[name, kernel] : before)
    if (const auto there = after.find(name); there != after.end())
      law.kernels[name] = lawOf(kernel, there->second, steps, powers);
  return law;
}

RunScale withLaw(RunScale run, const GrowthLaw &law) {
  for (const auto &[name, kernel] : law.kernels) {
    KernelGrowth &growth = run.kernels[name];
    const auto times = [&](double power) { return std::pow(run.elements, power); };
    growth.launches = std::pow(run.launches, kernel.launchesBySteps) * times(kernel.launches);
    growth.blocks = times(kernel.blocks);
    growth.arithmetic = growth.launches * times(kernel.arithmetic);
    for (const auto &[site, power] : kernel.accesses)
      growth.accesses[site] = growth.launches * times(power);
    for (const auto &[sites, power] : kernel.apart)
      growth.apart[sites] = times(power);
    growth.walkedSites.insert(kernel.walkedSites.begin(), kernel.walkedSites.end());
  }
  return run;
}

} // namespace relayout::analysis
