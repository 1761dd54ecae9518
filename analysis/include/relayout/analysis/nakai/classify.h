// SPDX-License-Identifier: Apache-2.0
// Policy nakai, first step: how the warps of each site spread over memory.
#pragma once

#include "relayout/base/result.h"
#include "relayout/trace/trace.h"
#include "relayout/trace/trace_handle.h"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace relayout::analysis {

/// \source Nakai & Ohno 2017, section 5.1
enum class AccessClass {
  Unobserved,    ///< executed, but no address of it was recorded
  UnCoalesce,    ///< no lane shares a line with another: AoS reads it faster
  Coalesce,      ///< several lanes of a warp share a line: SoA reads it faster
  ShareCoalesce, ///< several lanes of a warp read the same address: AoS reads it faster
};

[[nodiscard]] const char *accessClassName(AccessClass accessClass);

/// Bytes above the first lane's address within which another lane counts as coalescing. The
/// paper's window: a cache line, its far end included.
inline constexpr std::uint64_t kCoalescingWindowBytes = 128;

/// Lanes, other than the first active one, whose address lies in [A, A + 128], A being the first
/// active lane's.
[[nodiscard]] int coalescingThreads(const trace::WarpAccess &access);

/// Whether two active lanes have the same address.
[[nodiscard]] bool sharesAddress(const trace::WarpAccess &access);

/// What the recorded warp accesses of a site have shown so far.
struct Observation {
  std::uint64_t recorded = 0;          ///< warp accesses
  std::uint64_t coalescingThreads = 0; ///< over all of them
  std::uint64_t sharing = 0;           ///< warp accesses in which two lanes shared an address

  void add(const trace::WarpAccess &access);
  Observation &operator+=(const Observation &other);

  /// The paper's n: coalescing threads, averaged over the recorded warp accesses; 0 without any.
  [[nodiscard]] double averageThreads() const;
  [[nodiscard]] AccessClass accessClass() const;
};

/// Observations by kernel (index into Trace::kernels) and site id.
using Observations = std::map<std::pair<trace::Index, std::uint32_t>, Observation>;

/// The same per site id, whatever the kernel.
[[nodiscard]] std::map<std::uint32_t, Observation> bySite(const Observations &observations);

/// \error whatever the source reports
[[nodiscard]] Result<Observations> observe(const trace::Trace &trace,
                                           const trace::AccessSource &accesses);

} // namespace relayout::analysis
