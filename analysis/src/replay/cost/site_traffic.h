// SPDX-License-Identifier: Apache-2.0
// Policy replay: what each static access of a kernel moves under a layout.
#pragma once

#include "relayout/analysis/replay/cost/kernel_volume.h"
#include "relayout/analysis/replay/stream/warp_stream.h"

#include <map>

namespace relayout::analysis {

/// Of all launches.
struct SiteTraffic {
  double instructions = 0; ///< loads and stores
  double usedBytes = 0;
  double sectors = 0;    ///< of L1
  double movedBytes = 0; ///< between L1 and L2
};

/// By index into SiteTable::sites. What a bundle of several sites does is shared among them by the
/// bytes that each accesses, so the sum over all sites is that of the kernel.
[[nodiscard]] std::map<std::uint32_t, SiteTraffic> siteTraffic(const trace::SiteTable &sites,
                                                               const KernelStream &stream,
                                                               const KernelCounts &counts,
                                                               const KernelScale &scale);

} // namespace relayout::analysis
