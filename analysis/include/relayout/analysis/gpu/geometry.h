// SPDX-License-Identifier: Apache-2.0
// Sizes that all described GPU families share. They shape inner loops, so they are known when
// relayout is compiled; architecture files repeat them, and one that differs is refused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace relayout::analysis {

inline constexpr std::uint32_t kWarpThreads = 32;
inline constexpr std::uint32_t kSectorBytes = 32;
inline constexpr std::uint32_t kLineBytes = 128;
inline constexpr std::uint32_t kSectorsALine = kLineBytes / kSectorBytes;
inline constexpr std::uint32_t kGranuleBytes = 64; ///< least that DRAM is read by
inline constexpr double kSectorsAGranule = double{kGranuleBytes} / kSectorBytes;
inline constexpr std::uint32_t kGranulesALine = kLineBytes / kGranuleBytes;

/// By which device memory is mapped.
inline constexpr std::uint64_t kPageBytes = std::uint64_t{2} << 20;

/// Of the data stage of L1: as many banks serve a word of each lane at once.
inline constexpr std::uint32_t kDataBanks = 32;
inline constexpr std::uint32_t kDataBankBytes = 4;
inline constexpr std::uint32_t kTagBanks = 4; ///< which one holds a line: TagBanks
/// Bits of an address beyond these were not seen to matter to its tag bank.
inline constexpr std::uint64_t kTagPeriodBytes = std::uint64_t{1} << 21;
/// Bytes that L1 returns to the registers of a warp in a cycle.
inline constexpr std::uint32_t kReturnedBytes = 128;

/// Most that the variables of a block may take of shared memory; dynamic memory may be more.
inline constexpr std::uint64_t kMostStaticSharedBytes = std::uint64_t{48} << 10;

/// Lines to a set of L1; of those asked for again, so many stay. Measured on an H100.
inline constexpr unsigned kL1Ways = 4;
inline constexpr unsigned kL1KeptWays = 2;
inline constexpr std::size_t kL2Ways = 16;

/// Of an SM; warp w of a block is with scheduler w % kSchedulers.
inline constexpr std::size_t kSchedulers = 4;

inline constexpr std::uint32_t kRegisterBytes = 4;
inline constexpr std::uint32_t kWidestAccessBytes = 16; ///< of one lane, by one instruction

/// Registers that hold so many bytes.
[[nodiscard]] constexpr std::uint32_t registersFor(std::uint32_t bytes) {
  return (bytes + kRegisterBytes - 1) / kRegisterBytes;
}

/// \param threads  of a block
[[nodiscard]] constexpr std::uint64_t warpsOf(std::uint64_t threads) {
  return (threads + kWarpThreads - 1) / kWarpThreads;
}

/// Bits set in a mask of four sectors.
inline constexpr std::array<std::uint8_t, 16> kSectorsIn{0, 1, 1, 2, 1, 2, 2, 3,
                                                         1, 2, 2, 3, 2, 3, 3, 4};

/// Whether one of these sectors of a line lies in its granule g.
[[nodiscard]] constexpr bool isInGranule(unsigned sectors, unsigned g) {
  constexpr unsigned kSectors = kGranuleBytes / kSectorBytes;
  return (sectors >> (g * kSectors) & ((1u << kSectors) - 1)) != 0;
}

} // namespace relayout::analysis
