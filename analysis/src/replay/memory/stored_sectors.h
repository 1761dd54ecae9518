// SPDX-License-Identifier: Apache-2.0
// Policy replay: the sectors that a warp's next store may meet on their way to L2.
#pragma once

#include "relayout/analysis/gpu/fit.h"
#include "relayout/analysis/gpu/geometry.h"
#include "replay/memory/line_finder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace relayout::analysis {

/// The sectors of a store, and what it and those that were combined with it have filled of them.
/// Stores to many lines are not combined with others, so they are not kept.
class StoredSectors {
public:
  /// \param bytesASector  that it stores
  /// \param combined      part of its sectors that are combined with those before
  /// \returns whether the sectors are full now, and were not before
  bool keep(const Lines &stored, double bytesASector, double combined) {
    const double before = combined > 0 ? bytesASector_ : 0;
    bytesASector_ = before + bytesASector;
    count_ = stored.count <= fit::kManyLines ? stored.count : 0;
    std::copy_n(stored.line.begin(), count_, line_.begin());
    std::copy_n(stored.sectors.begin(), count_, sectors_.begin());
    constexpr double kFull = fit::kMostlyCombined * kSectorBytes;
    return before > 0 && before < kFull && bytesASector_ >= kFull;
  }

  void forget() { count_ = 0; }

  /// Part of a store's sectors that are among these, 0 to 1.
  [[nodiscard]] double partOf(const Lines &store) const {
    if (count_ == 0 || store.count > fit::kManyLines)
      return 0;
    int common = 0;
    for (unsigned i = 0; i < store.count; ++i)
      for (unsigned k = 0; k < count_; ++k)
        if (line_[k] == store.line[i])
          common += std::popcount(static_cast<unsigned>(sectors_[k] & store.sectors[i]));
    return static_cast<double>(common) / std::max(store.sectorCount, 1u);
  }

private:
  std::array<std::uint64_t, fit::kManyLines> line_{};
  std::array<std::uint8_t, fit::kManyLines> sectors_{};
  unsigned count_ = 0;
  double bytesASector_ = 0;
};

} // namespace relayout::analysis
