// SPDX-License-Identifier: Apache-2.0
// Threads that take the next job until none is left.
#include "relayout/base/run_parallel.h"

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace relayout {

void runParallel(std::size_t count, unsigned threads, const std::function<void(std::size_t)> &job) {
  if (threads == 0)
    threads = std::max(std::thread::hardware_concurrency(), 1u);
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++)
      job(i);
  };
  std::vector<std::jthread> workers;
  for (std::size_t i = 1; i < std::min<std::size_t>(threads, count); ++i)
    workers.emplace_back(work);
  work();
}

} // namespace relayout
