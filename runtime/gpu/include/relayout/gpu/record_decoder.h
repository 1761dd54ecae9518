// SPDX-License-Identifier: Apache-2.0
// GPU tracing: address records as kernels wrote them, to warp accesses. Needs no GPU.
#pragma once

#include "relayout/trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

namespace relayout::gpu {

/// Where one record lies in the buffer, and what it is sorted by.
struct RecordPlace {
  std::uint64_t grid = 0; ///< grid id of its launch
  std::uint32_t block = 0;
  std::uint32_t warp = 0;
  std::uint32_t order = 0; ///< of the warp's records
  std::uint32_t granule = 0;
  std::uint64_t clock = 0; ///< of the multiprocessor, at the record
  bool cut = false;        ///< its warp ran out of room: later records of it are missing
};

struct RecordIndex {
  std::vector<RecordPlace> places; ///< block by block as these began, warp by warp, in order
  /// Rooms and heads that hold what no kernel writes, where what follows is left out; and rooms
  /// of warps two sides of which wrote at once, which are left out whole.
  std::uint64_t damaged = 0;
};

/// Finds the access records in a copy of the buffer, as far as kernels took it. Trusts no byte of
/// it.
[[nodiscard]] RecordIndex indexRecords(std::span<const std::byte> buffer);

/// Leaves out blocks with cut warps, as far as their kernel has whole ones: what a warp does first
/// would weigh more than what it does last.
/// \param kernelOf  the kernel of a grid id
/// \param whole     kernels with whole blocks; those found are added
void leaveOutCutBlocks(std::vector<RecordPlace> &places,
                       const std::function<std::uint32_t(std::uint64_t grid)> &kernelOf,
                       std::set<std::uint32_t> &whole);

/// One record as a warp access; `launch` is left 0.
/// \param place  of a record that indexRecords() found in this buffer
[[nodiscard]] trace::WarpAccess toWarpAccess(std::span<const std::byte> buffer,
                                             const RecordPlace &place);

} // namespace relayout::gpu
