// SPDX-License-Identifier: Apache-2.0
// GPU tracing: how large the buffers in device memory are, and the sums over what they hold.
#include "relayout/gpu/buffer_plan.h"

#include "relayout/trace/trace.h"

#include <algorithm>
#include <bit>

namespace relayout::gpu {
namespace {

// One row a multiprocessor keeps atomics apart; programs with very many sites share rows instead of
// taking much of the user's device memory.
constexpr std::uint64_t kMostTallyBytes = 64u << 20;
constexpr std::uint32_t kLaunchRows = 1u << 16;

} // namespace

BufferPlan planBuffers(std::uint32_t multiprocessors, std::uint32_t kernels, std::uint32_t sites,
                       std::uint64_t recordBytes, std::uint64_t freeBytes) {
  BufferPlan plan;
  plan.kernels = kernels;
  plan.sites = sites;
  plan.launchRows = kLaunchRows;
  const std::uint64_t rowBytes =
      std::max<std::uint64_t>(1, std::uint64_t{kernels} * sites * sizeof(device::SiteTally));
  plan.rows = std::bit_floor(std::max(multiprocessors, 1u));
  while (plan.rows > 1 && plan.rows * rowBytes > kMostTallyBytes)
    plan.rows /= 2;
  // Half of what is free stays the program's.
  const std::uint64_t bytes = std::min(recordBytes, freeBytes / 2);
  // Places are 32-bit numbers of granules.
  plan.granules = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(bytes / device::kGranuleBytes, 0xfffffff0u));
  return plan;
}

std::vector<SiteSum> sumRows(const BufferPlan &plan, std::span<const device::SiteTally> tallies) {
  const std::size_t columns = std::size_t{plan.kernels} * plan.sites;
  std::vector<SiteSum> sums(columns);
  for (std::size_t i = 0; i < tallies.size(); ++i) {
    SiteSum &sum = sums[i % columns];
    sum.warpAccesses += tallies[i].warpAccesses;
    sum.laneAccesses += trace::kWarpLanes * tallies[i].warpAccesses - tallies[i].absentLanes;
  }
  return sums;
}

void giveSharedCounts(const BufferPlan &plan, std::span<const device::SharedCount> shared,
                      std::span<SiteSum> sums) {
  for (std::size_t kernel = 0; kernel < plan.kernels; ++kernel)
    for (const device::SharedCount &row : shared)
      sums[kernel * plan.sites + row.site] = sums[kernel * plan.sites + row.countedBy];
}

} // namespace relayout::gpu
