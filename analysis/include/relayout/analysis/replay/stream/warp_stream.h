// SPDX-License-Identifier: Apache-2.0
// Policy replay, first step: the recorded warp accesses as (array, element, fields), no address.
#pragma once

#include "relayout/analysis/compiler_model/program_code.h"
#include "relayout/analysis/layout/leaves.h"
#include "relayout/trace/trace.h"
#include "relayout/trace/trace_handle.h"

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace relayout::analysis {

/// One device array: an allocation as one array group uses it. Accesses to anything else than an
/// array of records keep their addresses, as words of kFixedWordBytes, in arrays without a group.
struct ReplayArray {
  trace::Index group = trace::kNone; ///< into SiteTable::groups
  std::uint64_t address = 0;         ///< of element 0
  std::uint64_t elements = 0;
};

inline constexpr std::uint32_t kFixedWordBytes = 4;

/// The elements that the lanes of one warp access touched: of the array, or, see
/// AccessSet::arrayField, of all its records' array members, record after record.
struct LanePattern {
  static constexpr std::uint32_t kAffine = 0xffffffffu;

  std::uint64_t base = 0;          ///< affine: element of the first active lane; else the smallest
  std::uint32_t mask = 0;          ///< active lanes
  std::int32_t stride = 0;         ///< affine: elements from one lane to the next
  std::uint32_t offsets = kAffine; ///< else index into Wave::offsets: each lane's element - base

  bool operator==(const LanePattern &) const = default;
};

/// Which leaves a bundle reads and writes, and which sites did; layout-independent and interned.
struct AccessSet {
  std::uint32_t array = 0; ///< into WarpStream::arrays
  std::uint64_t reads = 0; ///< bit l: leaf l; equal reads are folded, as compilers fold them
  std::uint64_t writes = 0;
  std::uint64_t atomics = 0;
  /// Of accesses without a group or with an arrayField: bytes a lane; the masks then have bit 0
  /// alone.
  std::uint32_t bytes = 0;
  /// The array member in which the lanes touched different elements, or whose elements have no
  /// leaves of their own. Element k of record i is then i * count + k in the pattern.
  std::uint32_t arrayField = trace::kNone;
  /// Leaves that were read after a store to another leaf. Of one struct nvcc knows that they are
  /// apart and reads them before; behind pointers of their own they wait for the store.
  std::uint64_t lateReads = 0;
  std::uint32_t lateWaits = 0; ///< how often a store was followed by some of these
  /// Accesses to other elements stood between its stores, so they do not meet on their way to L2.
  bool storesApart = false;
  std::vector<std::uint32_t> sites; ///< indices into SiteTable::sites, ascending
};

/// Accesses of one warp to the same elements of one array with no other store between them, and no
/// more loads than nvcc13::kRegistersInFlight: what a compiler may merge into vector loads and
/// stores.
struct Bundle {
  LanePattern pattern;
  std::uint32_t accessSet = 0; ///< into KernelStream::accessSets
  bool startsRegion = false;   ///< its loads are not moved up to those before
};

struct WarpRun {
  std::uint32_t block = 0;
  std::uint32_t warp = 0;
  std::vector<Bundle> bundles;
};

/// Blocks of one launch, replayed together on one SM.
struct Wave {
  trace::Index kernel = trace::kNone;
  std::uint32_t launch = 0;
  std::uint64_t warpAccesses = 0; ///< recorded accesses that went into it
  std::vector<std::array<std::uint32_t, trace::kWarpLanes>> offsets;
  std::vector<WarpRun> warps; ///< in (block, warp) order

  [[nodiscard]] std::uint64_t bytes() const;
};

/// What is common to all waves of a kernel.
struct KernelStream {
  std::vector<AccessSet> accessSets;
  std::vector<std::uint64_t> bundles;              ///< by access set, over all waves
  std::map<std::uint32_t, std::uint64_t> recorded; ///< warp accesses by site index, at the end
};

struct WarpStream {
  ProgramCode code; ///< what a compiler makes of the program
  std::vector<ReplayArray> arrays;
  std::vector<RecordLeaves> leaves;  ///< by record
  std::vector<KernelStream> kernels; ///< by trace kernel
  std::uint64_t mapped = 0;
  /// Accesses that belong to no element: outside the allocations, or not where a field lies.
  std::uint64_t unmapped = 0;
};

struct DecodeOptions {
  std::uint64_t maxWaveBytes = 48ull << 20; ///< a wave is cut when it gets larger
};

using WaveSink = std::function<void(Wave &&wave, const WarpStream &soFar)>;

/// Decodes every recorded access and hands out the waves, in file order.
/// recorded accesses == mapped + unmapped, always.
/// \param take  a finished wave, and what is known so far of arrays and access sets
/// Records with more than kMaxLeaves fields keep their addresses, like what is no record.
/// \error whatever the source reports
[[nodiscard]] Result<WarpStream> forEachWave(const trace::Trace &trace,
                                             const trace::AccessSource &accesses,
                                             const DecodeOptions &options, const WaveSink &take);

} // namespace relayout::analysis
