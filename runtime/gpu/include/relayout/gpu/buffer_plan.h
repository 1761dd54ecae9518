// SPDX-License-Identifier: Apache-2.0
// GPU tracing: how large the buffers in device memory are, and the sums over what they hold.
#pragma once

#include "relayout/device/buffers.h"
#include "relayout/device/module.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace relayout::gpu {

/// Sizes of the buffers of one context.
struct BufferPlan {
  std::uint32_t rows = 1; ///< a power of two; multiprocessors that share a row share its atomics
  std::uint32_t kernels = 0;
  std::uint32_t sites = 0;
  std::uint32_t launchRows = 0;
  std::uint32_t granules = 0; ///< of the record buffer

  [[nodiscard]] std::size_t tallies() const { return std::size_t{rows} * kernels * sites; }
};

/// \param recordBytes  most bytes of address records; 0 when only counting
[[nodiscard]] BufferPlan planBuffers(std::uint32_t multiprocessors, std::uint32_t kernels,
                                     std::uint32_t sites, std::uint64_t recordBytes,
                                     std::uint64_t freeBytes);

/// Exact counts of one site in one kernel.
struct SiteSum {
  std::uint64_t warpAccesses = 0;
  std::uint64_t laneAccesses = 0;
};

/// Adds the rows up.
/// \returns  [kernel][site]
[[nodiscard]] std::vector<SiteSum> sumRows(const BufferPlan &plan,
                                           std::span<const device::SiteTally> tallies);

/// Gives sites without counts of their own those of the site that counts for them.
/// \param sums    [kernel][site], as sumRows() returns them
/// \param shared  sites below plan.sites; `countedBy` has counts of its own
void giveSharedCounts(const BufferPlan &plan, std::span<const device::SharedCount> shared,
                      std::span<SiteSum> sums);

} // namespace relayout::gpu
