// SPDX-License-Identifier: Apache-2.0
// Policy replay: the sectored L1 of one SM.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace relayout::analysis {

/// Lines of four sectors, kWays to a set, least recently used out first. Loads allocate; stores
/// write through and leave the cache as it is.
class L1Cache {
public:
  static constexpr unsigned kWays = 16;

  explicit L1Cache(std::uint64_t lines)
      : sets_(std::max<std::uint64_t>(lines / kWays, 1)), ways_(sets_) {}

  /// \param sectors  bit s: sector s of the line
  /// \returns the sectors that were not there; they are now
  std::uint32_t load(std::uint64_t line, std::uint32_t sectors) {
    const std::uint64_t mixed = line * 0x9e3779b97f4a7c15u;
    Set &set = ways_[static_cast<std::uint64_t>((mixed >> 32) * sets_) >> 32];
    // 28 bits of another mix stand for the line: two lines of a set rarely agree in them.
    const auto tag = static_cast<std::uint32_t>((line * 0xd6e8feb86659fd93u) >> 36) << 4;
    if ((set[0] & kTagMask) == tag) {
      const std::uint32_t missing = sectors & ~set[0];
      set[0] |= sectors;
      return missing;
    }
    unsigned way = kWays; // without an early end, so that all ways are compared at once
    for (unsigned i = 0; i < kWays; ++i)
      way = (set[i] & kTagMask) == tag ? i : way;
    const std::uint32_t found = way < kWays ? set[way] : tag;
    std::memmove(set.data() + 1, set.data(), std::min(way, kWays - 1) * sizeof set[0]);
    set[0] = found | sectors;
    return sectors & ~found;
  }

  /// A launch begins with an empty L1.
  /// \param part  of the lines that it was built with: what others leave of it
  void clear(double part) {
    sets_ = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(part * static_cast<double>(ways_.size())), 1, ways_.size());
    std::ranges::fill(ways_, Set{});
  }

private:
  static constexpr std::uint32_t kTagMask = ~15u;
  using Set = std::array<std::uint32_t, kWays>; ///< tag and sector mask, most recent first
  std::uint64_t sets_;
  std::vector<Set> ways_;
};

} // namespace relayout::analysis
