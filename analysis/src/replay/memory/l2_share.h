// SPDX-License-Identifier: Apache-2.0
// Policy replay: how many of an SM's refetches hit in L2.
#pragma once

#include "relayout/analysis/gpu/fit.h"
#include "relayout/analysis/gpu/machine.h"
#include "relayout/analysis/replay/memory/traffic.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace relayout::analysis {

/// The part of L2 that falls to one SM: lines of four sectors, of which the least recently used one
/// goes. One line in kSampled is followed. What other SMs have in common with this one is not known
/// here.
/// \source  threads that walk along rows of their own (docs/results/l1.json, `walks`):
///          35 MB that are read three times come from DRAM once, 52 MB three times; a sector that
///          is written in two halves, 52 MB apart, goes to DRAM twice, and each time the half that
///          is missing is read
class L2Share {
public:
  explicit L2Share(const Machine &machine)
      : lines_(fit::kL2UsedPart * static_cast<double>(machine.l2Bytes) / kLineBytes / machine.sms) {
    clear(1);
  }

  /// A launch begins.
  /// \param part  of them that others leave
  void clear(double part) {
    const double sets = part * lines_ / kSampled / kL2Ways;
    sets_.assign(std::max<std::size_t>(static_cast<std::size_t>(std::lround(sets)), 1), {});
    ++launch_;
  }

  /// Sectors that a load missed in L1.
  void read(std::uint64_t line, std::uint32_t sectors, RefetchCounts &counts) {
    if (isFollowed(line))
      readFollowed(line, sectors, counts);
  }

  /// \param bytes  of each of the sectors, by this store
  void write(std::uint64_t line, std::uint32_t sectors, std::uint32_t bytes,
             RefetchCounts &counts) {
    if (isFollowed(line))
      writeFollowed(line, sectors, bytes, counts);
  }

private:
  static constexpr std::uint64_t kSampled = 16;

  struct Way {
    std::uint64_t line = ~std::uint64_t{0};
    std::uint8_t valid = 0;                            ///< sectors that were read
    std::array<std::uint8_t, kSectorsALine> written{}; ///< bytes of each sector
  };
  /// Which sectors of a line were asked for before. A line takes the place of another one with the
  /// same index, which is new then when it returns.
  struct Known {
    std::uint64_t line = 0;
    std::uint32_t launch = 0;
    std::uint8_t read = 0;
    std::uint8_t written = 0;
    std::uint8_t writtenBack = 0;
  };
  static constexpr unsigned kKnownBits = 15;
  using Set = std::array<Way, kL2Ways>; ///< most recently used first

  static std::uint64_t mixed(std::uint64_t line) { return line * 0x9e3779b97f4a7c15u; }
  static bool isFollowed(std::uint64_t line) { return (mixed(line) >> 32) % kSampled == 0; }

  void readFollowed(std::uint64_t line, std::uint32_t sectors, RefetchCounts &counts);
  void writeFollowed(std::uint64_t line, std::uint32_t sectors, std::uint32_t bytes,
                     RefetchCounts &counts);
  Way &touch(std::uint64_t line, RefetchCounts &counts);
  void evict(const Way &way, RefetchCounts &counts);
  Known &knownOf(std::uint64_t line);

  double lines_;
  std::vector<Set> sets_;
  std::vector<Known> known_{std::size_t{1} << kKnownBits};
  std::uint32_t launch_ = 0;
};

} // namespace relayout::analysis
