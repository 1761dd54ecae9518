// SPDX-License-Identifier: Apache-2.0
// Policy replay: which of the four banks of L1's tags holds a line.
#pragma once

#include <bit>
#include <cstdint>

namespace relayout::analysis {

inline constexpr unsigned kTagBanks = 4;

/// The parities of these bits of a line's address tell its bank. Measured up to bit 20; what higher
/// bits do matters only to lanes that are 2 MiB apart.
inline constexpr std::uint64_t kLowBankBits = 0x1d5a80; // 7, 9, 11, 12, 14, 16, 18, 19, 20
inline constexpr std::uint64_t kHighBankBits = 0xaed00; // 8, 10, 11, 13, 14, 15, 17, 19

/// \source  found from the counters of 353 one-warp atomics on an H100; see atomicSectors()
[[nodiscard]] inline unsigned tagBankOf(std::uint64_t address) {
  return static_cast<unsigned>(std::popcount(address & kLowBankBits) & 1) |
         static_cast<unsigned>(std::popcount(address & kHighBankBits) & 1) << 1;
}

} // namespace relayout::analysis
