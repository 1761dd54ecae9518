// SPDX-License-Identifier: Apache-2.0
// GPU tracing: address records as kernels wrote them, to warp accesses. Needs no GPU.
#pragma once

#include "relayout/trace/trace.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <vector>

namespace relayout::gpu {

/// Where one record lies in RecordIndex::records, and what it is sorted by.
struct RecordPlace {
  std::uint64_t grid = 0; ///< grid id of its launch
  std::uint32_t block = 0;
  std::uint32_t warp = 0;
  std::uint32_t order = 0;   ///< of the warp's records
  std::uint32_t granule = 0; ///< rises in the order in which the records lay in the buffer
  std::uint64_t clock = 0;   ///< of the multiprocessor, at the record
  bool cut = false;          ///< its warp ran out of room: later records of it are missing
};

struct RecordIndex {
  std::vector<RecordPlace> places; ///< block by block as these began, warp by warp, in order
  std::vector<std::byte> records;  ///< one behind the other, without the room between them
  /// Rooms and heads that hold what no kernel writes, where what follows is left out; and rooms
  /// of warps two sides of which wrote at once, which are left out whole.
  std::uint64_t damaged = 0;
};

/// Copies bytes of the buffer, from byte `at` on. \returns false when they cannot be had
using CopyBytes = std::function<bool(std::size_t at, std::span<std::byte> to)>;

/// Takes the access records out of the buffer, as far as kernels took it. Warps seldom fill their
/// rooms, so the records take far less memory than the buffer. Trusts no byte of it.
/// \param bufferBytes  that kernels took
/// \param copy         called for pieces of at most kPieceBytes, from the front to the back
/// \param isKept       whether records of this grid id are wanted
/// \returns            nothing when `copy` fails
[[nodiscard]] std::optional<RecordIndex>
indexRecords(std::size_t bufferBytes, const CopyBytes &copy,
             const std::function<bool(std::uint64_t grid)> &isKept);
inline constexpr std::size_t kPieceBytes = 4u << 20;

/// Leaves out blocks with cut warps, as far as their kernel has whole ones: what a warp does first
/// would weigh more than what it does last.
/// \param kernelOf  the kernel of a grid id
/// \param whole     kernels with whole blocks; those found are added
void leaveOutCutBlocks(std::vector<RecordPlace> &places,
                       const std::function<std::uint32_t(std::uint64_t grid)> &kernelOf,
                       std::set<std::uint32_t> &whole);

/// One record as a warp access; `launch` is left 0.
/// \param records  RecordIndex::records; `place` is one of that index
[[nodiscard]] trace::WarpAccess toWarpAccess(std::span<const std::byte> records,
                                             const RecordPlace &place);

} // namespace relayout::gpu
