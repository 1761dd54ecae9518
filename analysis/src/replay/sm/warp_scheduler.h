// SPDX-License-Identifier: Apache-2.0
// Policy replay: which warp of an SM goes on next.
#pragma once

#include "relayout/analysis/replay/stream/warp_stream.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

namespace relayout::analysis {

struct ResidentWarp {
  const WarpRun *run = nullptr;
  std::size_t slot = 0;  ///< of its block
  std::size_t next = 0;  ///< bundle
  double readyNs = 0;    ///< when what it waits for has come
  std::size_t order = 0; ///< of those that are ready together, the lowest goes first
};

/// One of the schedulers of an SM. A warp goes on until it has to wait for a load; then the one
/// that has been ready for longest.
class WarpScheduler {
public:
  double nowNs = 0; ///< it has issued all before

  void give(const ResidentWarp &warp) {
    waiting_.push_back(warp);
    std::ranges::push_heap(waiting_, isLater);
  }

  /// When it has something to issue; infinite where it has no warps.
  [[nodiscard]] double nextNs() const {
    if (isBusy_)
      return nowNs;
    return waiting_.empty() ? std::numeric_limits<double>::infinity()
                            : std::max(nowNs, waiting_.front().readyNs);
  }

  /// \returns whether another warp than before is the current one
  bool take() {
    if (isBusy_)
      return false;
    nowNs = nextNs();
    std::ranges::pop_heap(waiting_, isLater);
    current_ = waiting_.back();
    waiting_.pop_back();
    return isBusy_ = true;
  }

  [[nodiscard]] ResidentWarp &current() { return current_; }

  /// The current warp waits, or is done.
  ResidentWarp put() {
    isBusy_ = false;
    return current_;
  }

private:
  static bool isLater(const ResidentWarp &a, const ResidentWarp &b) {
    return std::pair(a.readyNs, a.order) > std::pair(b.readyNs, b.order);
  }

  std::vector<ResidentWarp> waiting_; ///< a heap, the next one first
  ResidentWarp current_;
  bool isBusy_ = false;
};

} // namespace relayout::analysis
