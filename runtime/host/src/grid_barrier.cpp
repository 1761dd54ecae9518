// SPDX-License-Identifier: Apache-2.0
// Executor: the barrier of a cooperative launch, and what kernels call to wait at it.
#include "grid_barrier.h"

#include "block_runner.h"
#include "failure.h"

#include "cooperative_groups.h"

namespace relayout::host {

thread_local GridPlace gridPlace;

GridBarrier::GridBarrier(std::uint64_t blocks, unsigned workers)
    : turns_(blocks), admitted_(blocks), ended_(blocks), workers_(workers) {
  admitNext();
}

std::uint64_t GridBarrier::firstLive(std::uint64_t from) const {
  while (from < ended_.size() && ended_[from] != 0)
    ++from;
  return from;
}

/// Fills the free workers; a phase ends when every block has had its turn and none runs.
void GridBarrier::admitNext() {
  if (next_ == ended_.size() && running_ == 0)
    next_ = firstLive(0);
  while (running_ < workers_ && next_ < ended_.size()) {
    admitted_[next_] = 1;
    turns_[next_].notify_one();
    ++running_;
    next_ = firstLive(next_ + 1);
  }
}

void GridBarrier::waitForTurn(std::unique_lock<std::mutex> &lock, std::uint64_t block) {
  turns_[block].wait(lock, [&] { return admitted_[block] != 0; });
  admitted_[block] = 0;
}

void GridBarrier::enter(std::uint64_t block) {
  std::unique_lock lock(mutex_);
  waitForTurn(lock, block);
}

void GridBarrier::arriveAndWait(std::uint64_t block) {
  std::unique_lock lock(mutex_);
  --running_;
  admitNext();
  waitForTurn(lock, block);
}

void GridBarrier::leave(std::uint64_t block) {
  const std::unique_lock lock(mutex_);
  --running_;
  ended_[block] = 1;
  admitNext();
}

namespace detail {

bool isCooperative() { return gridPlace.barrier != nullptr; }

void gridBarrier() {
  if (activeRunner == nullptr || gridPlace.barrier == nullptr)
    fatal(Code::BarrierOutsideBlock,
          "kernel '%s' waits for its grid, but was not launched by cudaLaunchCooperativeKernel",
          runningKernel() ? runningKernel() : "?");
  activeRunner->barrier(Vote::None, 0);
  // The block's own barriers keep its other threads here meanwhile.
  if (threadRank() == 0)
    gridPlace.barrier->arriveAndWait(gridPlace.block);
  activeRunner->barrier(Vote::None, 0);
}

} // namespace detail
} // namespace relayout::host
