// SPDX-License-Identifier: Apache-2.0
// Executor: what kernels launch waits for the end of their grid.
#include "kernel_launches.h"

#include "block_runner.h"
#include "stream_capture.h"

#include "relayout/host/launch.h"

#include <algorithm>

namespace relayout::host {

KernelLaunches &KernelLaunches::instance() {
  static auto *const kLaunches = new KernelLaunches;
  return *kLaunches;
}

void KernelLaunches::add(std::uint64_t block, std::function<void()> launch) {
  const std::scoped_lock lock(mutex_);
  launches_.emplace_back(block, std::move(launch));
}

void KernelLaunches::runAll() {
  std::vector<std::pair<std::uint64_t, std::function<void()>>> launches;
  {
    const std::scoped_lock lock(mutex_);
    launches.swap(launches_);
  }
  std::ranges::stable_sort(launches, {}, [](const auto &entry) { return entry.first; });
  for (const auto &[block, launch] : launches)
    launch();
}

namespace detail {

bool isDeferred(cudaStream_t stream) { return runningKernel() != nullptr || isCaptured(stream); }

void defer(cudaStream_t stream, std::function<void()> work) {
  if (runningKernel() == nullptr)
    return capture(stream, std::move(work));
  const dim3 &block = ::blockIdx, &grid = ::gridDim;
  KernelLaunches::instance().add((std::uint64_t{block.z} * grid.y + block.y) * grid.x + block.x,
                                 std::move(work));
}

} // namespace detail
} // namespace relayout::host
