// SPDX-License-Identifier: Apache-2.0
// Interns access sets.
#include "replay/stream/access_set_table.h"

#include <algorithm>

namespace relayout::analysis {
namespace {

bool isSame(const AccessSet &known, const OpenSet &set) {
  return known.array == set.array && known.bytes == set.bytes &&
         known.arrayField == set.arrayField && known.storesApart == set.storesApart &&
         known.reads == set.reads && known.writes == set.writes && known.atomics == set.atomics &&
         known.lateReads == set.lateReads && known.lateWaits == set.lateWaits &&
         std::equal(known.sites.begin(), known.sites.end(), set.sites.begin(),
                    set.sites.begin() + set.siteCount);
}

} // namespace

std::uint32_t AccessSetTable::intern(trace::Index index, const OpenSet &set, SiteFacts &facts) {
  KernelStream &kernel = kernels_[index];
  // What begins at a site mostly becomes the same set as the last time.
  std::uint32_t &last = facts.lastSet;
  if (last < kernel.accessSets.size() && isSame(kernel.accessSets[last], set))
    return last;
  std::vector<std::uint32_t> &known = byHash_[index][set.hash()];
  const auto found = std::ranges::find_if(
      known, [&](std::uint32_t index) { return isSame(kernel.accessSets[index], set); });
  if (found != known.end())
    return last = *found;
  known.push_back(static_cast<std::uint32_t>(kernel.accessSets.size()));
  kernel.accessSets.push_back(set.closed());
  kernel.bundles.push_back(0);
  return last = known.back();
}

} // namespace relayout::analysis
