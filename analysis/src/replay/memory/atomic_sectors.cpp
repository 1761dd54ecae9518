// SPDX-License-Identifier: Apache-2.0
// Bank-conflict replays of the lanes of an atomic in L1.
#include "relayout/analysis/replay/memory/atomic_sectors.h"

#include <array>
#include <bit>

namespace relayout::analysis {

std::uint32_t atomicSectors(std::span<const std::uint64_t> addresses, const TagBanks &tagBanks) {
  std::array<std::array<std::uint64_t, kWarpThreads>, kTagBanks> banks;
  std::array<std::size_t, kTagBanks> waiting{};
  for (const std::uint64_t address : addresses) {
    const unsigned bank = tagBanks.of(address);
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
        const std::uint32_t column = 1u << (within / kDataBankBytes);
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
