// SPDX-License-Identifier: Apache-2.0
// Policy replay: the DRAM granules that one block touches, and the runs they form.
#pragma once

#include "relayout/analysis/gpu/machine.h"
#include "relayout/analysis/replay/memory/traffic.h"

#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace relayout::analysis {

/// Arrays lie 2^44 bytes apart in the replay's address space.
inline constexpr unsigned kArrayShift = 44;
inline constexpr unsigned kGranuleShift = std::countr_zero(kGranuleBytes);

/// One plane of a tiled array: its granules are numbered as if they lay side by side.
struct TiledPlane {
  std::uint64_t plane = 0;     ///< address of its first granule in that numbering
  std::uint64_t start = 0;     ///< and where it really lies
  std::uint64_t tileBytes = 0; ///< of the plane in one tile; 0: the region is no such plane
  std::uint64_t blockBytes = 0;
};

class GranuleSet {
public:
  void add(std::uint64_t granule) {
    if (thinning_ != 0 && !keeps(granule))
      return;
    std::uint64_t &recent = recent_[(granule ^ granule >> 10) % recent_.size()];
    if (recent == granule)
      return;
    recent = granule;
    granules_.push_back(granule);
    if (granules_.size() == kMostGranules)
      compact();
  }

  /// Adds the runs to the arrays' traffic and empties the set.
  /// \param planes  by region; none beyond the last are tiled
  /// \param rows    grows by the isolated granules and the rows of DRAM they lie in
  void flush(std::vector<ArrayTraffic> &arrays, const Machine &machine,
             const std::vector<TiledPlane> &planes, IsolatedRows &rows);

private:
  static constexpr unsigned kWordBits = std::numeric_limits<std::uint64_t>::digits;
  static constexpr std::size_t kMostGranules = 1u << 13;
  static constexpr std::size_t kRecent = 1024;
  static constexpr unsigned kPageShift = 10; ///< granules are kept or left out by pages of 64 KiB

  [[nodiscard]] bool keeps(std::uint64_t granule) const {
    const std::uint64_t mixed = (granule >> kPageShift) * 0x9e3779b97f4a7c15u;
    return (mixed >> (kWordBits - thinning_)) == 0;
  }
  void compact();

  std::vector<std::uint64_t> granules_;
  std::vector<std::uint64_t> rows_; ///< of the isolated ones
  std::array<std::uint64_t, kRecent> recent_{};
  unsigned thinning_ = 0; ///< one page in 2^thinning_ is kept
};

} // namespace relayout::analysis
