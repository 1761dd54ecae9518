// SPDX-License-Identifier: Apache-2.0
// The turns that the lanes of an atomic take in L1.
#include "relayout/analysis/replay/atomic_sectors.h"

#include "relayout/analysis/replay/machine.h"

#include <array>
#include <bit>

namespace relayout::analysis {
namespace {

constexpr std::size_t kLanes = 32;
constexpr std::uint32_t kColumnBytes = 4;

/// Which of the four banks holds a line: the parities of these bits of its address. Measured up to
/// bit 20; what higher bits do matters only to lanes that are 2 MiB apart.
constexpr std::uint64_t kLowBankBits = 0x1d5a80; // 7, 9, 11, 12, 14, 16, 18, 19, 20
constexpr std::uint64_t kHighBankBits = 0xaed00; // 8, 10, 11, 13, 14, 15, 17, 19

unsigned bankOf(std::uint64_t address) {
  return static_cast<unsigned>(std::popcount(address & kLowBankBits) & 1) |
         static_cast<unsigned>(std::popcount(address & kHighBankBits) & 1) << 1;
}

} // namespace

std::uint32_t atomicSectors(std::span<const std::uint64_t> addresses) {
  std::array<std::array<std::uint64_t, kLanes>, 4> banks;
  std::array<std::size_t, 4> waiting{};
  for (const std::uint64_t address : addresses) {
    const unsigned bank = bankOf(address);
    banks[bank][waiting[bank]++] = address;
  }
  std::uint32_t passed = 0;
  for (unsigned bank = 0; bank < banks.size(); ++bank) {
    auto &lanes = banks[bank];
    std::size_t &left = waiting[bank];
    while (left != 0) {
      const std::uint64_t line = lanes[0] / kLineBytes;
      std::uint32_t wanted = 0, sectors = 0;
      std::size_t later = 0;
      for (std::size_t i = 0; i < left; ++i) {
        const std::uint64_t within = lanes[i] % kLineBytes;
        const std::uint32_t column = 1u << (within / kColumnBytes);
        if ((wanted & column) == 0 && lanes[i] / kLineBytes == line)
          sectors |= 1u << (within / kSectorBytes);
        else
          lanes[later++] = lanes[i];
        wanted |= column;
      }
      passed += static_cast<std::uint32_t>(std::popcount(sectors));
      left = later;
    }
  }
  return passed;
}

} // namespace relayout::analysis
