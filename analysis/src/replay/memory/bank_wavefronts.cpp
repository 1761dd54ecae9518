// SPDX-License-Identifier: Apache-2.0
// Counts different words by bank.
#include "replay/memory/bank_wavefronts.h"

#include <algorithm>
#include <bit>

namespace relayout::analysis {
namespace {

/// The different words that some lanes ask each bank for.
class BankWords {
public:
  void add(std::uint64_t word) {
    const std::size_t bank = word % kDataBanks;
    const auto end = words_[bank].begin() + counts_[bank];
    if (std::find(words_[bank].begin(), end, word) == end)
      words_[bank][counts_[bank]++] = word;
  }

  /// Of the busiest bank.
  [[nodiscard]] unsigned most() const { return *std::ranges::max_element(counts_); }

private:
  /// One lane asks a bank for one word.
  std::array<std::array<std::uint64_t, trace::kWarpLanes>, kDataBanks> words_;
  std::array<std::uint8_t, kDataBanks> counts_{};
};

} // namespace

unsigned bankWavefronts(const LaneAddresses &addresses, std::uint32_t mask, std::uint32_t offset,
                        std::uint32_t bytes) {
  const std::uint32_t words = std::max(bytes / kDataBankBytes, 1u);
  const std::uint32_t lanesAtOnce = kDataBanks / words;
  unsigned wavefronts = 0;
  for (std::uint32_t first = 0; first < kWarpThreads; first += lanesAtOnce) {
    const std::uint32_t part = lanesAtOnce == kWarpThreads ? ~0u : (1u << lanesAtOnce) - 1;
    BankWords asked;
    for (std::uint32_t left = mask & part << first; left != 0; left &= left - 1) {
      const std::uint64_t address =
          addresses[static_cast<unsigned>(std::countr_zero(left))] + offset;
      for (std::uint32_t word = 0; word < words; ++word)
        asked.add(address / kDataBankBytes + word);
    }
    wavefronts += asked.most();
  }
  return wavefronts;
}

} // namespace relayout::analysis
