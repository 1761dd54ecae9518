// SPDX-License-Identifier: Apache-2.0
// Policy replay, second step: warp streams through the address function of a candidate layout.
#pragma once

#include "relayout/analysis/gpu/machine.h"
#include "relayout/analysis/layout/layout.h"
#include "relayout/analysis/replay/stream/warp_stream.h"

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

namespace relayout::analysis {

/// What one access set costs under a layout, summed over the replayed warps.
struct SetCounts {
  std::uint64_t bundles = 0;
  std::uint64_t readInstructions = 0; ///< after vectorisation
  std::uint64_t writeInstructions = 0;
  std::uint64_t otherInstructions = 0; ///< address arithmetic and a use of each value, estimated
  std::uint64_t valueUses = 0;         ///< the second part of these
  std::uint64_t wavefronts = 0;
  std::uint64_t readSectors = 0; ///< L1 sectors of loads
  std::uint64_t readHits = 0;    ///< of these, found in L1
  std::uint64_t missLines = 0;   ///< lines with a sector not found
  std::uint64_t writeSectors = 0;
  std::uint64_t writeLines = 0;
  double l2WriteSectors = 0;   ///< what is left after neighbouring stores were combined
  double l2WholeSectors = 0;   ///< of these, written from end to end
  std::uint64_t usedBytes = 0; ///< by the lanes, equal addresses counted once
  std::uint64_t waits = 0;     ///< of a warp for loads that started together; this set's was first
  std::uint64_t longWaits = 0; ///< of these, with a load that missed L1
  std::uint64_t severalWaits = 0; ///< of these, for more than one load

  SetCounts &operator+=(const SetCounts &other);
};

/// What blocks ask of L2 and DRAM in one region, summed over the replayed blocks. A region is an
/// array, or one plane of it where the layout has no tiles.
/// A run is a range of granules in which the next one that the block touches is never further than
/// kRunGapGranules; many runs of at most kIsolatedGranules are taken for scattered accesses.
struct ArrayTraffic {
  double isolatedGranules = 0;
  /// Granules from the first to the last of each run, touched or not, by the part that was
  /// touched, in 64ths. Where k blocks share a run of density d, 1 - (1 - d)^k of it is touched.
  std::array<double, 65> extentByDensity{};
  double touched = 0;       ///< granules, in runs or alone, each once a block
  double touchedInRuns = 0; ///< by granule: how many its run has; what neighbours share at once
  double span = 0;          ///< granules from a block's first to its last
  double sectors = 0;       ///< of all accesses that touched granules
  double evenly = 0;        ///< of these, by lanes whose elements rise evenly
  double missedSectors = 0; ///< of loads, in L1
  double missedAtOnce = 0;  ///< of these, by loads before a warp waited for the first time
  std::uint64_t firstGranule = ~std::uint64_t{0};
  std::uint64_t lastGranule = 0;

  ArrayTraffic &operator+=(const ArrayTraffic &other);
};

inline constexpr std::uint64_t kRunGapGranules = 256;
inline constexpr std::uint64_t kIsolatedGranules = 2;
inline constexpr std::uint64_t kScatteredRuns = 12; ///< more short runs a block: scattered

/// Granules that were taken for scattered, and what of DRAM has to be opened for them: fewer rows
/// than granules where a block touches several of one row.
struct IsolatedRows {
  double granules = 0;
  double rows = 0;
};

/// What an SM asks of L2 more than once, in sectors of a sample of lines: whether L2 still has it.
struct AgainCounts {
  double asked = 0;   ///< by loads that missed L1
  double first = 0;   ///< of these, for the first time
  double fetched = 0; ///< of these, not in L2
  double written = 0; ///< different ones
  double writtenGranules = 0;
  double writtenAgain = 0; ///< after they had been written back to DRAM
  double filled = 0;       ///< read from DRAM, as only a part of them was there to be written back
  double granules = 0;     ///< of what is written again or filled

  AgainCounts &operator+=(const AgainCounts &other);
};

struct KernelCounts {
  std::vector<SetCounts> sets;      ///< by access set
  std::vector<ArrayTraffic> reads;  ///< by region: granules missed in L1
  std::vector<ArrayTraffic> writes; ///< by region: granules stored to
  IsolatedRows isolated;            ///< of both
  AgainCounts again;
  std::uint64_t blocks = 0;       ///< replayed; cut ones count by their parts
  std::uint32_t firstBlock = ~0u; ///< of these
  std::uint32_t lastBlock = 0;
  std::uint64_t warps = 0;        ///< replayed
  std::uint64_t warpAccesses = 0; ///< replayed, as recorded
};

/// Where the replay puts one array: a layout, or the source's own record, bound to its length.
struct PlacedArray {
  /// What lies side by side for every element: a cluster, or one plane of an exploded one.
  struct Part {
    std::uint64_t start = 0; ///< address of its first element
    std::uint64_t plane = 0; ///< of a tiled array: the region its granules are counted in
    std::uint32_t bytes = 0; ///< of one element
    std::uint32_t alignment = 1;
    std::uint32_t natural = 1; ///< the alignment that its fields ask for
  };
  /// Element k of an array member is k steps from element 0; a scalar is element 0.
  struct FieldPlace {
    std::uint32_t part = 0;
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0; ///< of one element
    std::uint32_t alignment = 1;
    std::uint32_t count = 1;
    std::uint32_t partStep = 0;
    std::uint32_t offsetStep = 0;
  };
  std::uint64_t tile = 0; ///< 0: one tile holds the array
  std::uint64_t blockBytes = 0;
  std::uint64_t totalBytes = 0;
  std::vector<Part> parts;
  std::vector<FieldPlace> fields;
};

/// The layouts of all groups, bound to the arrays of a stream as these become known.
class BoundLayouts {
public:
  /// \param layouts  by group; a null pointer keeps the source's own record
  BoundLayouts(const trace::SiteTable &sites, std::vector<const Layout *> layouts)
      : sites_(&sites), layouts_(std::move(layouts)) {}

  /// Binds the arrays that have come since the last call.
  /// \error as AddressFunction::bind
  [[nodiscard]] Result<void> cover(const WarpStream &stream);

  [[nodiscard]] const std::vector<PlacedArray> &arrays() const { return arrays_; }

private:
  const trace::SiteTable *sites_;
  std::vector<const Layout *> layouts_;
  std::vector<PlacedArray> arrays_;
  std::uint64_t regions_ = 0;
};

/// Replays waves of one kernel in turn on one SM, whose L1 keeps its contents from wave to wave of
/// a launch.
class SmReplay {
public:
  /// \param l1Bytes         of the cache, shared memory taken off
  /// \param residentBlocks  that share the SM
  SmReplay(const Machine &machine, std::uint64_t l1Bytes, std::uint32_t residentBlocks);
  SmReplay(SmReplay &&) noexcept;
  ~SmReplay();

  /// Learns the access sets that have come since the last call. Needs the stream; replaying then
  /// does not, so that the stream may grow meanwhile.
  /// \param layouts  cover all arrays of the stream
  void prepare(trace::Index kernel, const WarpStream &stream, const BoundLayouts &layouts,
               const trace::SiteTable &sites);

  /// \param wave  of the kernel and with access sets that were prepared for
  void replay(const Wave &wave, const BoundLayouts &layouts);
  [[nodiscard]] const KernelCounts &counts() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Adds up what several SMs counted.
void accumulate(KernelCounts &sum, const KernelCounts &part);

} // namespace relayout::analysis
