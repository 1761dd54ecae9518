// SPDX-License-Identifier: Apache-2.0
// Policy replay: the sectored L1 of one SM.
#pragma once

#include "relayout/analysis/gpu/geometry.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace relayout::analysis {

/// Lines of four sectors, kL1Ways to a set. Of those that were asked for again, the last
/// kL1KeptWays of a set stay whatever passes by; of the others, and of new lines, the oldest goes.
/// Loads and stores alike ask for a line; what is stored goes on to L2 as well. \source  chains of
/// single loads that tell by their latency what L1 still has (docs/results/l1.json): of
///          lines read once, n random ones leave as many as a set of four takes, and all of n
///          lines in a row stay up to nearly the capacity; lines read twice, be it another sector,
///          outlive 16,384 others, as far as two of a set go; stored once, a line is there like
///          one read once, with the bytes that were stored (docs/policy-replay.md)
class L1Cache {
public:
  explicit L1Cache(std::uint64_t lines)
      : sets_(std::max<std::uint64_t>(lines / kL1Ways, 1)), ways_(sets_) {}

  struct Found {
    std::uint32_t missing = 0; ///< sectors that were not there; they are now
    float comesNs = 0;         ///< when the last of the others has come
  };

  /// \param sectors   bit s: sector s of the line
  /// \param comesNs   when those that are missing will have come
  Found load(std::uint64_t line, std::uint32_t sectors, float comesNs = 0) {
    Found found;
    Set &set = access(line, sectors, sectors, found.missing);
    std::array<float, kSectorsALine> &times = set.comesNs[set.at];
    for (unsigned s = 0; s < kSectorsALine; ++s)
      if ((found.missing >> s & 1) != 0)
        times[s] = comesNs;
      else if ((sectors >> s & 1) != 0)
        found.comesNs = std::max(found.comesNs, times[s]);
    return found;
  }

  /// All that was asked for has come; time begins again.
  void settle() {
    for (Set &set : ways_)
      set.comesNs = {};
  }

  /// \param whole  the sectors that are written from end to end: only these can be read afterwards
  ///               if they were not there
  void store(std::uint64_t line, std::uint32_t whole) {
    std::uint32_t missing = 0;
    access(line, 0, whole, missing);
  }

  /// A launch begins with an empty L1.
  /// \param part  of the lines that it was built with: what others leave of it
  void clear(double part) {
    sets_ = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(part * static_cast<double>(ways_.size())), 1, ways_.size());
    std::ranges::fill(ways_, Set{});
  }

private:
  static constexpr std::uint32_t kTagMask = ~0u << kSectorsALine;
  struct Set {
    /// Tag and sector mask: first those kept, then the others, each most recent first.
    std::array<std::uint32_t, kL1Ways> lines{};
    std::array<std::array<float, kSectorsALine>, kL1Ways> comesNs{}; ///< each line's sectors
    unsigned kept = 0;
    unsigned at = 0; ///< the line of the last access

    /// Puts a line first, and those up to the last one a place further; that one goes.
    void insert(std::uint32_t line, std::array<float, kSectorsALine> times, unsigned first,
                unsigned last) {
      at = first;
      for (unsigned i = first; i <= last; ++i) {
        std::swap(line, lines[i]);
        std::swap(times, comesNs[i]);
      }
    }
  };

  /// \param filled   sectors that are there afterwards
  /// \param missing  those of `sectors` that were not there
  Set &access(std::uint64_t line, std::uint32_t sectors, std::uint32_t filled,
              std::uint32_t &missing) {
    Set &set = ways_[setOf(line)];
    // 28 bits of a mix stand for the line: two lines of a set rarely agree in them.
    const auto tag = static_cast<std::uint32_t>((line * 0xd6e8feb86659fd93u) >> 36)
                     << kSectorsALine;
    unsigned way = 0;
    while (way < kL1Ways && (set.lines[way] & kTagMask) != tag)
      ++way;
    if (way == kL1Ways) {
      set.insert(tag | filled, {}, set.kept, kL1Ways - 1);
      missing = sectors;
      return set;
    }
    const std::uint32_t found = set.lines[way];
    if (way >= set.kept)
      set.kept = std::min(set.kept + 1, kL1KeptWays);
    set.insert(found | filled, set.comesNs[way], 0, way);
    missing = sectors & ~found;
    return set;
  }

  /// Lines in a row, or any one distance apart, are spread evenly, as a GPU does it.
  [[nodiscard]] std::uint64_t setOf(std::uint64_t line) const {
    return (line * 0x9e3779b97f4a7c15u >> 32) * sets_ >> 32;
  }

  std::uint64_t sets_;
  std::vector<Set> ways_;
};

} // namespace relayout::analysis
