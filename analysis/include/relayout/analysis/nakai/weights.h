// SPDX-License-Identifier: Apache-2.0
// Policy nakai, second step: what each site says for AoS (positive) or for SoA (negative).
#pragma once

#include "relayout/analysis/nakai/classify.h"
#include "relayout/trace/trace.h"

#include <cstdint>
#include <vector>

namespace relayout::analysis {

inline constexpr double kWeightForAos = 1.0;  ///< the paper's w1
inline constexpr double kWeightForSoa = -1.0; ///< the paper's w2

/// w1 for UnCoalesce and ShareCoalesce, w2 * n / 32 for Coalesce, 0 for Unobserved; times the
/// executions.
/// \param averageThreads  the paper's n
/// \param executions      warp accesses
[[nodiscard]] double siteWeight(AccessClass accessClass, double averageThreads,
                                std::uint64_t executions);

/// Where the class of a row comes from.
enum class Evidence {
  Own,          ///< records of this site in this kernel
  OtherKernels, ///< it has none here: records of the same site in other kernels
  None,         ///< no record of this site anywhere
};

/// One site in one kernel. The compiler makes a copy of a device function in each kernel that
/// calls it, so a site reached by two kernels is two of the paper's instructions.
struct SiteRow {
  trace::Index kernel = trace::kNone; ///< index into Trace::kernels
  trace::Index site = trace::kNone;   ///< index into SiteTable::sites
  trace::Index loop = trace::kNone;   ///< innermost, as the kernel sees it: into SiteTable::loops
  std::uint64_t warpAccesses = 0;     ///< exact; the paper's execution count
  std::uint64_t laneAccesses = 0;     ///< exact
  std::uint64_t recorded = 0;         ///< of the warp accesses
  Observation observation;            ///< what the class rests on, see evidence
  Evidence evidence = Evidence::None;
  AccessClass accessClass = AccessClass::Unobserved;
  double averageThreads = 0;
  double weight = 0;
};

/// A row for every site with a record type that a kernel executed, in the order of the trace's
/// counts. Where only a part was recorded, the class is that of the part and the count is exact.
[[nodiscard]] std::vector<SiteRow> weighSites(const trace::Trace &trace,
                                              const Observations &observations);

} // namespace relayout::analysis
