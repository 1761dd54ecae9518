// SPDX-License-Identifier: Apache-2.0
// Executor: launches by kernels. A grid may start when its launcher's block has not ended, and
// need not: here all grids that one grid launches run when it has ended, in the order of its
// blocks, on the launching thread.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

namespace relayout::host {

class KernelLaunches {
public:
  static KernelLaunches &instance();

  /// \param block  the launching block's number in its grid
  void add(std::uint64_t block, std::function<void()> launch);
  /// Runs what was added, and what that adds.
  void runAll();

private:
  std::mutex mutex_;
  std::vector<std::pair<std::uint64_t, std::function<void()>>> launches_;
};

} // namespace relayout::host
