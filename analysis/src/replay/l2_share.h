// SPDX-License-Identifier: Apache-2.0
// Policy replay: how much of what an SM asks for again L2 still has.
#pragma once

#include "relayout/analysis/replay/replay.h"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace relayout::analysis {

/// The part of L2 that falls to one SM: lines of four sectors, of which the least recently used one
/// goes. One line in kSampled is followed. What other SMs have in common with this one is not known
/// here.
/// \source  threads that walk along rows of their own on an H100 (docs/results/l1.json, `walks`):
///          35 MB that are read three times come from DRAM once, 52 MB three times; a sector that
///          is written in two halves, 52 MB apart, goes to DRAM twice, and each time the half that
///          is missing is read
class L2Share {
public:
  explicit L2Share(const Machine &machine)
      : lines_(kUsed * static_cast<double>(machine.l2Bytes) / kLineBytes / machine.sms) {
    clear(1);
  }

  /// A launch begins.
  /// \param part  of them that others leave
  void clear(double part) {
    const double sets = part * lines_ / kSampled / kWays;
    sets_.assign(std::max<std::size_t>(static_cast<std::size_t>(sets + 0.5), 1), {});
    known_.clear();
  }

  /// Sectors that a load missed in L1.
  void read(std::uint64_t line, std::uint32_t sectors, AgainCounts &counts);

  /// \param bytes  of each of the sectors, by this store
  void write(std::uint64_t line, std::uint32_t sectors, std::uint32_t bytes, AgainCounts &counts);

private:
  /// Of L2's bytes, what stays while so many are asked for in turn.
  static constexpr double kUsed = 0.75;
  static constexpr std::uint64_t kSampled = 16;
  static constexpr std::size_t kWays = 16;
  static constexpr std::size_t kMostKnown = 1 << 16; ///< then it begins to learn anew

  struct Way {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint8_t valid = 0;                ///< sectors that were read
    std::array<std::uint8_t, 4> written{}; ///< bytes of each sector
  };
  struct Known { ///< sectors
    std::uint8_t read = 0;
    std::uint8_t written = 0;
    std::uint8_t writtenBack = 0;
  };
  using Set = std::array<Way, kWays>; ///< most recently used first

  /// \returns nothing where the line is none of the sample
  Way *touch(std::uint64_t line, AgainCounts &counts);
  void evict(const Way &way, AgainCounts &counts);

  double lines_;
  std::vector<Set> sets_;
  std::unordered_map<std::uint64_t, Known> known_;
};

} // namespace relayout::analysis
