// SPDX-License-Identifier: Apache-2.0
// Executor: runs one block at a time on one worker: its threads as a plain loop, or as fibers that
// meet at barriers and warp operations and whose events are merged warp by warp.
#pragma once

#include "block_recording.h"
#include "event_buffers.h"
#include "failure.h"
#include "run_budget.h"
#include "stack_pool.h"
#include "warp_merger.h"
#include "warp_operations.h"

#include "relayout/host/launch.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace relayout::host {

/// Thrown where a thread ends inside a function, and caught where it began.
struct ThreadExit {};

class BlockRunner {
public:
  BlockRunner();

  /// The runner of this worker thread.
  static BlockRunner &ofThisThread();

  /// \param block      linear index in the grid
  /// \param recording  null: nothing is recorded
  /// \param blocks  that run together, from `block` on along x; one, where it is recorded
  void run(const detail::KernelCall &call, std::uint64_t block, BlockRecording *recording,
           unsigned blocks = 1);

  // What the running thread of the block asks for.
  int barrier(detail::Vote vote, int predicate);
  std::uint64_t exchange(detail::WarpOperation operation, std::uint32_t mask, std::uint64_t value,
                         std::uint32_t source);
  std::uint32_t activeMask(const void *place);
  void yield();
  void drain();
  [[nodiscard]] std::uint32_t laneId() const;

private:
  using Event = probe::detail::Event;

  /// A thread of the block. Its bit is in exactly one of its warp's masks.
  struct Lane {
    probe::detail::Recorder recorder;
    Stack *stack = nullptr; ///< null: not started, or finished
    uint3 index{};
    std::uint32_t warp = 0;
    std::uint32_t bit = 0;
    LaneExchange exchange;
    detail::WarpOperation operation{};
    std::uint32_t mask = 0;
    const void *place = nullptr; ///< of the __activemask() it waits in
    Event *buffer = nullptr;
    std::size_t capacity = 0;
    std::unique_ptr<Event[]> ownBuffer; ///< when one of the pool's was too small
  };

  struct Warp {
    std::uint32_t lanes = 0; ///< that exist
    std::uint32_t ready = 0;
    std::uint32_t full = 0;    ///< wait for their events to be merged
    std::uint32_t yielded = 0; ///< spin, so others go first
    std::uint32_t atBarrier = 0;
    std::uint32_t atOperation = 0;
    std::uint32_t atActiveMask = 0;
    std::uint32_t done = 0;
    bool hasMet = false; ///< in an operation, after which other warps have their turn
    WarpMerger merger;
    WarpSink sink;
    WarpMerger::Streams streams{};
  };

  static void fiber(boost::context::detail::transfer_t from);
  void runThreads();

  void runFibers(std::uint64_t block);
  void prepare();
  void runWarp(std::uint32_t index);
  bool releaseBarrier();
  /// The run ends, and with it this block, wherever its threads are. Blocks of a cooperative launch
  /// would be waited for.
  [[nodiscard]] bool isCut() const {
    return recording_ && !call_->isCooperative && RunBudget::instance().isEnding();
  }
  [[noreturn]] void reportDeadlock(std::uint64_t block) const;

  Lane *takeReady(Warp &warp);
  void enter(Lane &lane);
  void suspend();
  static void switchTo(Context &from, Context &to);

  void merge(std::uint32_t index);
  void giveBuffer(Lane &lane);
  void takeBuffer(Lane &lane);
  void growBuffer(Lane &lane);
  bool completeOperations(std::uint32_t index);
  bool operationComplete(const Warp &warp, const Lane &lane, std::uint32_t &takingPart) const;
  void completeOperation(Warp &warp, std::uint32_t index, const Lane &lane,
                         std::uint32_t takingPart);
  void resolveActiveMask(std::uint32_t index);

  Lane &laneOf(std::uint32_t warp, int lane) { return lanes_[warp * kWarpLanes + lane]; }
  const Lane &laneOf(std::uint32_t warp, int lane) const {
    return lanes_[warp * kWarpLanes + lane];
  }

  CrashStack crashStack_;
  StackPool stacks_;
  EventBuffers buffers_;
  std::unique_ptr<std::byte[]> dynamicShared_;
  std::vector<Lane> lanes_;
  std::vector<Warp> warps_;
  Context scheduler_;

  const detail::KernelCall *call_ = nullptr;
  BlockRecording *recording_ = nullptr;
  std::uint32_t threads_ = 0;
  Lane *lane_ = nullptr; ///< running
  Warp *warp_ = nullptr; ///< of lane_
  struct {
    int count = 0;
    int arrived = 0;
  } votes_;
  struct {
    int count = 0;
    bool all = false;
  } voteResult_;
};

/// The runner whose fibers this thread is executing; null in plain loops and outside kernels.
extern __thread BlockRunner *activeRunner;

/// Name of the kernel this thread is executing, or null. Async-signal-safe.
const char *runningKernel();

} // namespace relayout::host
