// SPDX-License-Identifier: Apache-2.0
// Widths of what warps touch.
#include "replay/stream/reach.h"

#include <algorithm>
#include <bit>
#include <map>
#include <utility>

namespace relayout::analysis {
namespace {

std::uint64_t lastElement(const Wave &wave, const LanePattern &pattern) {
  if (pattern.offsets != LanePattern::kAffine)
    return pattern.base + *std::ranges::max_element(wave.offsets[pattern.offsets]);
  const int lanes = std::bit_width(pattern.mask) - 1 - std::countr_zero(pattern.mask);
  return pattern.base + static_cast<std::uint64_t>(std::int64_t{pattern.stride} * lanes);
}

double median(std::vector<double> &values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

/// Between lanes in the order of their elements; of lanes at one element none counts but the first.
double medianGap(const Wave &wave, const LanePattern &pattern) {
  std::vector<std::uint32_t> elements;
  for (std::uint32_t left = pattern.mask; left != 0; left &= left - 1)
    elements.push_back(
        wave.offsets[pattern.offsets][static_cast<std::size_t>(std::countr_zero(left))]);
  std::ranges::sort(elements);
  std::vector<double> gaps;
  for (std::size_t i = 1; i < elements.size(); ++i)
    if (elements[i] != elements[i - 1])
      gaps.push_back(elements[i] - elements[i - 1]);
  return gaps.empty() ? 0 : median(gaps);
}

} // namespace

std::vector<Reach> reachesOf(const KernelSample &kernel, std::size_t sets) {
  std::vector<Reach> reaches(sets);
  std::vector<std::vector<double>> gaps(sets);
  for (const Wave &wave : kernel.waves)
    for (const WarpRun &run : wave.warps) {
      std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> range; // by access set
      for (const Bundle &bundle : run.bundles) {
        Reach &reach = reaches[bundle.accessSet];
        ++reach.bundles;
        if (bundle.pattern.offsets != LanePattern::kAffine) {
          ++reach.irregular;
          gaps[bundle.accessSet].push_back(medianGap(wave, bundle.pattern));
        }
        const std::uint64_t last = lastElement(wave, bundle.pattern);
        const auto [at, isNew] = range.try_emplace(bundle.accessSet, bundle.pattern.base, last);
        at->second.first = std::min({at->second.first, bundle.pattern.base, last});
        at->second.second = std::max({at->second.second, bundle.pattern.base, last});
      }
      for (const auto &[set, ends] : range)
        reaches[set].widest =
            std::max(reaches[set].widest, static_cast<double>(ends.second - ends.first + 1));
    }
  for (std::size_t s = 0; s < sets; ++s)
    if (!gaps[s].empty())
      reaches[s].apart = median(gaps[s]);
  return reaches;
}

} // namespace relayout::analysis
