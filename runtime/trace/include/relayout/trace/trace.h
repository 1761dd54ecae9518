// SPDX-License-Identifier: Apache-2.0
// What a trace says, independent of how the file stores it (docs/trace-format.md).
#pragma once

#include "relayout/trace/site_table.h"

#include <array>
#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace relayout::trace {

inline constexpr int kWarpLanes = 32;

/// One warp-wide execution of a site.
struct WarpAccess {
  std::uint32_t launch = 0;     ///< index into Trace::launches
  std::uint32_t block = 0;      ///< linear block index: x + gridX * (y + gridY * z)
  std::uint32_t warp = 0;       ///< warp in the block
  std::uint32_t site = 0;       ///< Site::id
  std::uint64_t order = 0;      ///< running number within the warp, in execution order, from 0
  std::uint32_t activeMask = 0; ///< bit l set: lane l took part
  std::uint32_t bytes = 0;      ///< bytes each lane moved
  /// Known to hold: an active lane's address is that of the first one plus stride for every lane
  /// between. Readers of a trace tell it where the file does; false says nothing.
  bool isAffine = false;
  std::int64_t stride = 0;                           ///< bytes; meaningless unless isAffine
  std::array<std::uint64_t, kWarpLanes> addresses{}; ///< byte address per lane; 0 where inactive

  [[nodiscard]] int activeLanes() const { return std::popcount(activeMask); }
};

/// Exact execution counts of one site in one kernel, over all launches.
/// recorded + dropped == warpAccesses, always.
struct SiteCount {
  Index kernel = kNone;           ///< index into Trace::kernels
  std::uint32_t site = 0;         ///< Site::id
  std::uint64_t warpAccesses = 0; ///< warp-wide executions
  std::uint64_t laneAccesses = 0; ///< active lanes over all of them
  std::uint64_t recorded = 0;     ///< warp accesses whose addresses are in the trace
  std::uint64_t dropped = 0;      ///< warp accesses counted only: not sampled, or over the limit
};

/// Exact iteration counts of one loop in one kernel.
struct LoopCount {
  Index kernel = kNone;
  std::uint32_t loop = 0;           ///< Loop::id
  std::uint64_t warpEntries = 0;    ///< times a warp entered it; 0: not counted
  std::uint64_t warpIterations = 0; ///< iterations, a warp counting while any lane is inside
};

struct Launch {
  Index kernel = kNone; ///< index into Trace::kernels
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint64_t sharedBytes = 0;
  std::uint64_t sampleStride = 0; ///< every sampleStride-th block was sampled; 0: none
};

/// What an extent of an array may be: an expression of the program where it allocates, or one of
/// its constants, and the value.
struct Extent {
  std::string text; ///< of a constant its digits
  std::uint64_t value = 0;
  /// Of subscripts, whose extent it is, from 1 for the lowest; of an expression among the digits
  /// whose extents are none of constants. 0: unknown.
  std::uint32_t digit = 0;
};

struct Allocation {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  std::vector<Extent> extents = {};
  Index group = kNone;     ///< that the program allocates it for; kNone: not known
  bool isManaged = false;  ///< its pages move to whoever touches them; false on a GPU
  bool isVariable = false; ///< a variable, as large in every run; false on a GPU
};

/// What the host copied between its own memory and one array, at one place of the program.
struct HostTransfer {
  std::uint64_t address = 0; ///< where the allocation begins; a later one may begin there too
  bool isToHost = false;
  std::uint64_t copies = 0;
  std::uint64_t bytes = 0; ///< of all copies together
  std::string place = {};  ///< "file:line" of the call; empty on a GPU
};

/// What the place of a state starts with.
inline constexpr std::string_view kStateOf = "array allocated at ";

/// What a device-to-host copy carried, or what an array held that host and kernels share.
struct CopyDigest {
  std::uint64_t bytes = 0;
  std::uint64_t paddingBytes = 0; ///< bytes of record padding left out of the digest
  std::string digest;             ///< XXH3-128, hex
  std::string place;              ///< "file:line" of the call, empty where unknown

  /// Of an array in memory that the host reaches, at a synchronisation or its end.
  [[nodiscard]] bool isState() const { return place.starts_with(kStateOf); }
};

/// Kinds of machine. Of launches of a sparse run, all or the later ones, the sampled blocks alone
/// ran, and counts are what these make likely for all.
inline constexpr const char *kSparseCpu = "sparse cpu";
/// Of such a run that was ended as it took too long, or failed for want of results.
inline constexpr const char *kEndedCpu = "sparse cpu, run ended early,";

struct Machine {
  std::string kind; ///< "cpu", "gpu", or one of these
  std::string name;
};

struct Trace {
  Machine machine;
  std::string command; ///< the program's arguments, for the reader's eye
  SiteTable sites;
  std::vector<std::string> kernels; ///< names of the kernels that ran, in first-launch order
  std::vector<Launch> launches;     ///< the first launches, up to the writer's limit
  std::uint64_t launchesExecuted = 0;
  std::vector<SiteCount> counts;
  std::vector<LoopCount> loops;
  std::vector<Allocation> allocations;
  std::vector<CopyDigest> copies;
  std::vector<HostTransfer> transfers;
  std::uint64_t blocksExecuted = 0;
  std::uint64_t blocksSampled = 0;
  std::uint64_t accessRecords = 0; ///< warp accesses whose addresses the file holds
  bool complete = false;           ///< the program ended in order and the trace was closed
};

/// Where the runtime beside a GPU reports what is no part of the trace: kernel times, counters, and
/// what is missing and why.
[[nodiscard]] inline std::string reportBeside(const std::string &traceFile) {
  return traceFile + ".gpu.json";
}

} // namespace relayout::trace
