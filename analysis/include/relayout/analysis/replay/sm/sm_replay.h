// SPDX-License-Identifier: Apache-2.0
// Policy replay, second step: warp streams through the address function of a candidate layout.
#pragma once

#include "relayout/analysis/gpu/machine.h"
#include "relayout/analysis/replay/memory/placed_array.h"
#include "relayout/analysis/replay/sm/kernel_counts.h"

#include <cstdint>
#include <limits>
#include <memory>

namespace relayout::analysis {

/// Replays waves of one kernel in turn on one SM, whose L1 keeps its contents from wave to wave of
/// a launch.
class SmReplay {
public:
  /// \param l1Bytes         of the cache, shared memory taken off
  /// \param residentBlocks  that share the SM
  /// \param blocksOfAnSm    of a launch that an SM takes in turn: those that find in L1 what the
  ///                        ones before have left; the next one begins with an empty L1
  SmReplay(const Machine &machine, std::uint64_t l1Bytes, std::uint32_t residentBlocks,
           double blocksOfAnSm = std::numeric_limits<double>::infinity());
  SmReplay(SmReplay &&) noexcept;
  ~SmReplay();

  /// Learns the access sets that have come since the last call. Needs the stream; replaying then
  /// does not, so that the stream may grow meanwhile.
  /// \param layouts  cover all arrays of the stream
  void prepare(trace::Index kernel, const WarpStream &stream, const BoundLayouts &layouts,
               const trace::SiteTable &sites);

  /// \param wave  of the kernel and with access sets that were prepared for
  void replay(const Wave &wave, const BoundLayouts &layouts);
  [[nodiscard]] const KernelCounts &counts() const;

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace relayout::analysis
