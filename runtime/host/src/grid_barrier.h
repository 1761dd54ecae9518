// SPDX-License-Identifier: Apache-2.0
// Executor: the barrier of a cooperative launch. Every block has a thread of its own, of which as
// many run at a time as there are workers, in the order of the blocks.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace relayout::host {

class GridBarrier {
public:
  GridBarrier(std::uint64_t blocks, unsigned workers);

  /// Waits for the block's turn; once, before the block runs.
  void enter(std::uint64_t block);
  /// The block has come to the barrier; returns when all have, and it is its turn again.
  void arriveAndWait(std::uint64_t block);
  /// The block has ended: the others wait for it no more.
  void leave(std::uint64_t block);

private:
  void waitForTurn(std::unique_lock<std::mutex> &lock, std::uint64_t block);
  void admitNext();
  [[nodiscard]] std::uint64_t firstLive(std::uint64_t from) const;

  std::mutex mutex_;
  std::vector<std::condition_variable> turns_;
  std::vector<char> admitted_;
  std::vector<char> ended_;
  std::uint64_t next_ = 0; ///< to be admitted in this phase
  unsigned running_ = 0;
  unsigned workers_;
};

/// The barrier of the launch that this thread runs a block of, and which block; null elsewhere.
struct GridPlace {
  GridBarrier *barrier = nullptr;
  std::uint64_t block = 0;
};
extern thread_local GridPlace gridPlace;

} // namespace relayout::host
