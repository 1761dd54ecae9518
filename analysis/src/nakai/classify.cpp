// SPDX-License-Identifier: Apache-2.0
// Policy nakai, first step: how the warps of each site spread over memory.
#include "relayout/analysis/nakai/classify.h"

#include <algorithm>
#include <bit>

namespace relayout::analysis {

const char *accessClassName(AccessClass accessClass) {
  switch (accessClass) {
  case AccessClass::Unobserved:
    return "unobserved";
  case AccessClass::UnCoalesce:
    return "UnCoalesce";
  case AccessClass::Coalesce:
    return "Coalesce";
  case AccessClass::ShareCoalesce:
    return "ShareCoalesce";
  }
  return "unknown";
}

int coalescingThreads(const trace::WarpAccess &access) {
  if (access.activeMask == 0)
    return 0;
  const int first = std::countr_zero(access.activeMask);
  const std::uint64_t start = access.addresses[static_cast<std::size_t>(first)];
  int threads = 0;
  for (std::uint32_t rest = access.activeMask & (access.activeMask - 1); rest != 0;
       rest &= rest - 1) {
    const std::uint64_t address =
        access.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
    if (address >= start && address - start <= kCoalescingWindowBytes)
      ++threads;
  }
  return threads;
}

bool sharesAddress(const trace::WarpAccess &access) {
  std::array<std::uint64_t, trace::kWarpLanes> active{};
  auto end = active.begin();
  for (std::uint32_t rest = access.activeMask; rest != 0; rest &= rest - 1)
    *end++ = access.addresses[static_cast<std::size_t>(std::countr_zero(rest))];
  std::sort(active.begin(), end);
  return std::adjacent_find(active.begin(), end) != end;
}

void Observation::add(const trace::WarpAccess &access) {
  ++recorded;
  coalescingThreads += static_cast<std::uint64_t>(analysis::coalescingThreads(access));
  sharing += sharesAddress(access) ? 1 : 0;
}

Observation &Observation::operator+=(const Observation &other) {
  recorded += other.recorded;
  coalescingThreads += other.coalescingThreads;
  sharing += other.sharing;
  return *this;
}

double Observation::averageThreads() const {
  return recorded == 0 ? 0 : static_cast<double>(coalescingThreads) / static_cast<double>(recorded);
}

AccessClass Observation::accessClass() const {
  if (recorded == 0)
    return AccessClass::Unobserved;
  // Sharing comes first: lanes with the first lane's address also count as coalescing threads, so
  // the other way round, as the paper's figure 11 has it, nothing would ever be ShareCoalesce.
  if (sharing > 0)
    return AccessClass::ShareCoalesce;
  return coalescingThreads > 0 ? AccessClass::Coalesce : AccessClass::UnCoalesce;
}

std::map<std::uint32_t, Observation> bySite(const Observations &observations) {
  std::map<std::uint32_t, Observation> sums;
  for (const auto &[kernelAndSite, observation] : observations)
    sums[kernelAndSite.second] += observation;
  return sums;
}

Result<Observations> observe(const trace::Trace &trace, const trace::AccessSource &accesses) {
  Observations observations;
  const Result<void> done = accesses([&](const trace::WarpAccess &access) {
    if (access.launch < trace.launches.size())
      observations[{trace.launches[access.launch].kernel, access.site}].add(access);
    return true;
  });
  if (!done)
    return tl::unexpected(done.error());
  return observations;
}

} // namespace relayout::analysis
