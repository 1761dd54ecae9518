// SPDX-License-Identifier: Apache-2.0
// Policy replay: the 128-byte lines that one warp instruction touches, and its wavefronts.
#pragma once

#include "relayout/analysis/gpu/architecture.h"
#include "relayout/trace/trace.h"

#include <array>
#include <cstdint>
#include <vector>

namespace relayout::analysis {

using LaneAddresses = std::array<std::uint64_t, trace::kWarpLanes>;

/// The distinct lines of one instruction, with their sectors.
struct Lines {
  std::array<std::uint64_t, trace::kWarpLanes> line{};
  std::array<std::uint8_t, trace::kWarpLanes> sectors{};
  unsigned count = 0;
  unsigned sectorCount = 0;
  unsigned wavefronts = 0;
};

class LineFinder {
public:
  explicit LineFinder(const TagBanks &tagBanks) : tagBanks_(tagBanks), known_(kKnown) {}

  [[nodiscard]] const TagBanks &tagBanks() const { return tagBanks_; }

  /// \param addresses  of the lanes in mask
  /// \param bytes      a lane: 1, 2, 4, 8 or 16
  void find(const LaneAddresses &addresses, std::uint32_t mask, std::uint32_t offset,
            std::uint32_t bytes, Lines &lines);

  /// The same, of addresses that rise evenly: found once for each start within a line.
  /// \param first  address of the first lane in mask
  /// \param rise   from one lane to the next
  void findAffine(std::uint64_t first, std::int64_t rise, std::uint32_t mask, std::uint32_t bytes,
                  Lines &lines);

private:
  static constexpr std::size_t kKnown = 512;

  struct Slot {
    std::uint32_t epoch = 0;
    unsigned index = 0;
  };
  /// Lines relative to that of the first lane.
  struct Known {
    std::int64_t rise = 0;
    std::uint32_t mask = 0; ///< 0: nothing is known yet
    std::uint16_t start = 0;
    std::uint16_t bytes = 0;
    Lines lines;
  };
  TagBanks tagBanks_;
  std::array<Slot, std::size_t{2} * trace::kWarpLanes> slots_{};
  std::array<std::uint8_t, trace::kWarpLanes> passOf_{}; ///< by index of the line
  std::uint32_t epoch_ = 0;
  std::vector<Known> known_;
};

} // namespace relayout::analysis
