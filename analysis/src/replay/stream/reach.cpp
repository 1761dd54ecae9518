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

} // namespace

std::vector<Reach> reachesOf(const KernelSample &kernel, std::size_t sets) {
  std::vector<Reach> reaches(sets);
  std::vector<std::vector<double>> widths(sets);
  for (const Wave &wave : kernel.waves)
    for (const WarpRun &run : wave.warps) {
      std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> range; // by access set
      for (const Bundle &bundle : run.bundles) {
        Reach &reach = reaches[bundle.accessSet];
        ++reach.bundles;
        reach.irregular += bundle.pattern.offsets != LanePattern::kAffine ? 1 : 0;
        const std::uint64_t last = lastElement(wave, bundle.pattern);
        const auto [at, isNew] = range.try_emplace(bundle.accessSet, bundle.pattern.base, last);
        at->second.first = std::min({at->second.first, bundle.pattern.base, last});
        at->second.second = std::max({at->second.second, bundle.pattern.base, last});
      }
      for (const auto &[set, ends] : range)
        widths[set].push_back(static_cast<double>(ends.second - ends.first + 1));
    }
  for (std::size_t s = 0; s < sets; ++s)
    if (std::vector<double> &all = widths[s]; !all.empty()) {
      std::ranges::sort(all);
      reaches[s].typical = all[all.size() / 2];
      reaches[s].widest = all.back();
    }
  return reaches;
}

} // namespace relayout::analysis
