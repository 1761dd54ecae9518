// SPDX-License-Identifier: Apache-2.0
// Policy replay: a bounded number of waves of one kernel.
#pragma once

#include "relayout/analysis/replay/stream/warp_stream.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace relayout::analysis {

/// Waves of one kernel; when there are too many, every second one goes.
class WaveStore {
public:
  /// \param share  bundles that are kept at most
  void add(Wave &&wave, std::uint64_t share);

  [[nodiscard]] std::vector<Wave> takeWaves() { return std::move(waves_); }
  [[nodiscard]] bool isEmpty() const { return waves_.empty(); }
  [[nodiscard]] std::uint64_t bundles() const { return bundles_; }

private:
  std::vector<Wave> waves_;
  std::uint64_t bundles_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t stride_ = 1;
};

} // namespace relayout::analysis
