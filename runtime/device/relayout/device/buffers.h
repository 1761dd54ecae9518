// SPDX-License-Identifier: Apache-2.0
// GPU tracing: what lies in device memory while an instrumented program runs. Kernels write it,
// runtime/gpu reads it; plain C++ that nvcc and the host compiler lay out alike.
#pragma once

#include <cstddef>
#include <cstdint>

namespace relayout::device {

/// Which blocks write address records.
enum class Sampling : std::uint32_t {
  Counts, ///< none
  Blocks, ///< one in every `stride`, see sampleShift()
  All,
  OneSm ///< those that ran on one multiprocessor, in the order in which they ran
};

/// Executions of one site in one kernel, by the multiprocessors that share this row.
struct SiteTally {
  unsigned long long warpAccesses;
  unsigned long long absentLanes; ///< 32 less the active lanes, summed: 0 without divergence
};

/// All launches of one kernel.
struct KernelTally {
  unsigned long long launches;
  unsigned long long blocks;
  unsigned long long sampledBlocks;
  /// Of the last launch that sampled a block: grid id + 1 above, and below kLaunchBits how many
  /// have done so. One word, so that the blocks of a launch agree on its number.
  unsigned long long newestLaunch;
};

inline constexpr std::uint32_t kLaunchBits = 24; ///< counted as far as that goes

/// Written by the first block of a launch.
struct LaunchRow {
  unsigned long long gridPlusOne; ///< 0: never written
  std::uint32_t kernel;           ///< with kOfTwin, if that is what ran
  std::uint32_t grid[3];
  std::uint32_t block[3];
  std::uint32_t sharedBytes;
};

inline constexpr std::uint32_t kOfTwin = 1u << 31;

/// Counters every block shares.
struct Totals {
  unsigned long long granules; ///< of the record buffer taken; may pass Control::granules
  std::uint32_t launches;      ///< may pass Control::launchRows
  std::uint32_t unused;
};

/// What probes need to know, in constant memory of every instrumented module.
/// All zero, as it is before the runtime has armed the module: probes do nothing.
struct Control {
  SiteTally *tallies; ///< [row][kernel][site]
  KernelTally *kernels;
  LaunchRow *launches;
  Totals *totals;
  unsigned char *records; ///< zero where nothing is written
  std::uint32_t granules; ///< of `records`
  std::uint32_t launchRows;
  std::uint32_t rowMask;     ///< rows - 1, rows being a power of two; the row of an SM is id & mask
  std::uint32_t kernelCount; ///< of all modules
  std::uint32_t siteCount;
  std::uint32_t firstKernel; ///< of this module
  std::uint32_t firstSite;
  Sampling sampling;
  std::uint32_t sampleLog2; ///< Blocks: 2^n to 2^(n+1) blocks of a launch are sampled
  std::uint32_t sampledSm;  ///< OneSm
  /// 1 once the module is armed. A twin has the compiler assume 0, so that what is inlined there
  /// has no records; see probe::twinOf(). Nothing else depends on it.
  std::uint32_t kernelsRecord;
};

inline constexpr std::uint32_t kGranuleBytes = 16; ///< records start and end at multiples of it
inline constexpr std::uint32_t kHeadBytes = 32;
inline constexpr std::uint32_t kMostWarps = 32; ///< of a block

/// How a record tells the lanes' addresses. Offsets are unsigned, from `base`, and in the order of
/// the active lanes.
enum class Shape : std::uint32_t { Affine, Offsets16, Offsets32, Addresses64 };

/// Head of an access record. Affine: lane l's address is base + stride * (l - first active lane).
/// Written only where the lane behind the first active one is active too, or all addresses are
/// equal. The records of a warp follow each other without gaps, so their order need not be told.
struct AccessHead {
  std::uint32_t tag;   ///< kAccessTag | shape << 29 | warp << 24 | site
  std::uint32_t clock; ///< of the multiprocessor, low bits
  std::uint32_t mask;
  std::uint32_t bytes;
  std::uint64_t base;
  std::int32_t stride;
  std::uint32_t unused;
};

/// Where the lanes of one warp of a sampled block talk while they write a record: the last granules
/// of the warp's buffer. It begins with 0, so that the records end there.
struct BufferHeader {
  std::uint32_t zero;
  std::uint32_t shapes;        ///< byte 0: not affine; byte s: a lane's offset needs Shape s
  std::uint32_t next;          ///< granule where the next record goes; kNoRoom: nowhere
  std::uint32_t end;           ///< granule of this header
  std::uint64_t first, second; ///< addresses of the first two lanes
  std::uint32_t owner;         ///< mask of the lanes that write a record
  std::uint32_t mixed; ///< not 0: others have come between; the warp's records are worth nothing
  std::uint32_t unused[2];
};

inline constexpr std::uint32_t kNoRoom = 0xffffffffu;

/// A sampled block. The buffers of its warps follow, `warpGranules` each.
struct BlockHead {
  std::uint32_t tag; ///< kBlockTag
  std::uint32_t block;
  std::uint32_t warps;
  std::uint32_t warpGranules;
  std::uint64_t grid;
  std::uint64_t clock; ///< of the multiprocessor, when the block began
};

static_assert(sizeof(AccessHead) == kHeadBytes && sizeof(BlockHead) == kHeadBytes);
static_assert(sizeof(BufferHeader) == std::size_t{3} * kGranuleBytes);
static_assert(sizeof(LaunchRow) == 40 && sizeof(KernelTally) == 32 && sizeof(Totals) == 16);

inline constexpr std::uint32_t kAccessTag = 1u << 31;
inline constexpr std::uint32_t kBlockTag = 1;
inline constexpr std::uint32_t kSiteMask = (1u << 24) - 1;

/// Offsets are biased so that lanes below the first active one have non-negative offsets too.
inline constexpr std::uint64_t kBias16 = 1u << 15;
inline constexpr std::uint64_t kBias32 = 1u << 31;

#ifdef __CUDACC__
#define RELAYOUT_BOTH __host__ __device__
#else
#define RELAYOUT_BOTH
#endif

/// log2 of the stride at which blocks are sampled: a power of two, so that no kernel divides.
RELAYOUT_BOTH inline std::uint32_t sampleShift(std::uint64_t blocks, std::uint32_t sampleLog2) {
  std::uint32_t shift = 0;
  while (blocks >> (shift + 1) >> sampleLog2 != 0)
    ++shift;
  return shift;
}

/// Whether this block is the one of its group of 2^shift that is sampled. Its place in the group
/// changes from group to group, so that no row or column of a grid is preferred.
RELAYOUT_BOTH inline bool isSampled(std::uint32_t block, std::uint32_t shift) {
  const std::uint32_t group = block >> shift;
  const std::uint32_t place = group * 0x9e3779b1u >> 16 & ((1u << shift) - 1);
  return (block & ((1u << shift) - 1)) == place;
}

/// Deep blocks have room for what long kernels' warps do up to their end. How many of them launch
/// number `launch` (from 0) of a kernel has: later launches may do something else.
RELAYOUT_BOTH inline std::uint32_t deepBlocks(std::uint64_t launch) {
  if (launch == 0)
    return 6;
  const bool isNext = launch == 1 || launch == 3 || launch == 7;
  return isNext ? 2 : 0;
}
inline constexpr std::uint32_t kDeepBlocks = 12; ///< of all launches of a kernel

/// Whether sampled block number `index` of `sampled` is one of `deep` that lie evenly among them.
RELAYOUT_BOTH inline bool isDeep(std::uint64_t index, std::uint64_t sampled, std::uint32_t deep) {
  return sampled <= deep || (index * deep + sampled / 2) % sampled < deep;
}

/// Granules of records that one warp may write, and of its header, in launch number `launch` (from
/// 0) of its kernel. Every kernel has the same part of the buffer. One half of it is for deep
/// blocks, the other for all: its launches have shares that fall with the square, so that all that
/// ever will be launched has room.
RELAYOUT_BOTH inline std::uint32_t warpShare(std::uint32_t granules, std::uint32_t kernels,
                                             std::uint64_t launch, std::uint64_t sampledBlocks,
                                             std::uint32_t warps, bool deep) {
  const std::uint64_t half = granules / (2 * static_cast<std::uint64_t>(kernels));
  const std::uint64_t turn = launch < 65535 ? launch + 1 : 65536;
  const std::uint64_t wideShare = half / 2 / (turn * turn) / sampledBlocks / warps;
  const std::uint64_t deepShare = deep ? half / kDeepBlocks / warps : 0;
  const std::uint64_t share = wideShare > deepShare ? wideShare : deepShare;
  constexpr std::uint64_t kOneRecord = (kHeadBytes + 32 * 8 + sizeof(BufferHeader)) / kGranuleBytes;
  return static_cast<std::uint32_t>(share > kOneRecord ? share : kOneRecord);
}

#undef RELAYOUT_BOTH

} // namespace relayout::device
