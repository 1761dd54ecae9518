// SPDX-License-Identifier: Apache-2.0
// Executor: runs the threads of a block and schedules them between barriers.
#include "block_runner.h"

#include "device_launch_parameters.h"
#include "executor.h"
#include "lanes.h"
#include "settings.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>

__thread uint3 threadIdx;
__thread uint3 blockIdx;
__thread dim3 blockDim{1, 1, 1};
__thread dim3 gridDim{1, 1, 1};

namespace relayout::probe::detail {
__thread Recorder *recorder = nullptr;
} // namespace relayout::probe::detail

namespace relayout::host {
namespace {

constexpr std::size_t kMaxThreads = 1024;

/// Rounds in which all threads of a block only spin, until it is taken to wait for another block.
constexpr unsigned kWaitsForBlock = 16;

constexpr std::size_t kSharedAlignment = 128;
constexpr std::size_t kMaxSharedBytes = 256u << 10;

__thread void *sharedMemory = nullptr;
__thread const char *kernelName = nullptr;

constexpr probe::detail::Event kStarved{
    probe::detail::eventKey(probe::detail::EventKind::Starved, 0), 0};
constexpr probe::detail::Event kFinished{
    probe::detail::eventKey(probe::detail::EventKind::Finished, 0), 0};

} // namespace

__thread BlockRunner *activeRunner = nullptr;

const char *runningKernel() { return kernelName; }

void *dynamicShared() { return sharedMemory; }

BlockRunner::BlockRunner()
    : stacks_(settings().stackBytes, fiber),
      dynamicShared_(new std::byte[kMaxSharedBytes + kSharedAlignment]) {}

BlockRunner &BlockRunner::ofThisThread() {
  thread_local const std::unique_ptr<BlockRunner> kRunner = std::make_unique<BlockRunner>();
  return *kRunner;
}

void BlockRunner::run(const detail::KernelCall &call, std::uint64_t block,
                      BlockRecording *recording, unsigned blocks) {
  call_ = &call;
  recording_ = recording;
  const dim3 &grid = call.shape.grid;
  ::gridDim = grid;
  ::blockDim = call.shape.block;
  ::blockIdx = {static_cast<unsigned>(block % grid.x),
                static_cast<unsigned>(block / grid.x % grid.y),
                static_cast<unsigned>(block / grid.x / grid.y)};
  const auto memory = reinterpret_cast<std::uintptr_t>(dynamicShared_.get());
  sharedMemory = reinterpret_cast<void *>((memory + kSharedAlignment - 1) / kSharedAlignment *
                                          kSharedAlignment);
  kernelName = call.name;
  if (call.threads == Threads::Loop && recording == nullptr)
    call.runBlocks(call.call, blocks);
  else
    runFibers(block);
  kernelName = nullptr;
  sharedMemory = nullptr;
}

void BlockRunner::prepare() {
  const dim3 size = call_->shape.block;
  threads_ = size.x * size.y * size.z;
  const std::uint32_t warps = (threads_ + kWarpLanes - 1) / kWarpLanes;
  if (lanes_.empty())
    lanes_ = std::vector<Lane>(kMaxThreads);
  if (warps_.size() < warps)
    warps_.resize(warps);
  uint3 index{0, 0, 0};
  for (std::uint32_t thread = 0; thread < threads_; ++thread) {
    Lane &lane = lanes_[thread];
    lane.index = index;
    lane.warp = thread / kWarpLanes;
    lane.bit = 1u << thread % kWarpLanes;
    lane.recorder.calls = 0;
    if (++index.x == size.x) {
      index.x = 0;
      if (++index.y == size.y) {
        index.y = 0;
        ++index.z;
      }
    }
  }
  for (std::uint32_t i = 0; i < warps; ++i) {
    Warp &warp = warps_[i];
    const std::uint32_t count = std::min(threads_ - i * kWarpLanes, kWarpLanes);
    warp.lanes = count == kWarpLanes ? kAllLanes : (1u << count) - 1;
    warp.ready = warp.lanes;
    warp.done = 0;
    if (recording_) {
      warp.merger.reset(warp.lanes);
      warp.sink.reset(recording_, i);
      std::fill(std::begin(warp.streams), std::end(warp.streams), &kStarved);
    }
  }
  votes_ = {};
}

void BlockRunner::runFibers(std::uint64_t block) {
  prepare();
  activeRunner = this;
  const std::uint32_t warps = (threads_ + kWarpLanes - 1) / kWarpLanes;
  for (unsigned waits = 0;;) {
    bool allDone = true;
    bool ready = false;
    bool yielded = false;
    for (std::uint32_t i = 0; i < warps; ++i) {
      runWarp(i);
      allDone = allDone && warps_[i].done == warps_[i].lanes;
      ready = ready || warps_[i].ready != 0;
      yielded = yielded || warps_[i].yielded != 0;
    }
    if (allDone || isCut())
      break;
    if (ready || releaseBarrier()) {
      waits = 0;
      continue;
    }
    if (!yielded)
      reportDeadlock(block);
    if (++waits % kWaitsForBlock == 0)
      waitForOtherBlocks();
    for (std::uint32_t i = 0; i < warps; ++i)
      warps_[i].ready |= std::exchange(warps_[i].yielded, 0);
  }
  activeRunner = nullptr;
  probe::detail::recorder = nullptr;
  for (std::uint32_t thread = 0; thread < threads_ && !isCut(); ++thread)
    if (lanes_[thread].buffer != nullptr)
      fatal(Code::ExecutorBug, "internal error: events of thread %u of kernel '%s' were not merged",
            thread, kernelName);
}

/// Runs a warp until every lane has finished or waits for something outside the warp, or until
/// lanes have met in a warp operation.
void BlockRunner::runWarp(std::uint32_t index) {
  Warp &warp = warps_[index];
  warp.hasMet = false;
  for (;;) {
    if (warp.hasMet)
      return;
    if (Lane *const lane = takeReady(warp)) {
      enter(*lane);
      if (lane->stack == nullptr)
        lane->stack = stacks_.acquire();
      switchTo(scheduler_, *lane->stack);
      continue;
    }
    if (recording_)
      merge(index);
    if (isCut())
      return;
    if (warp.ready != 0 || completeOperations(index))
      continue;
    if (warp.full != 0) {
      // Nobody else can go on, so these lanes must, though others have yet to catch up.
      forEachLane(warp.full, [&](int lane) { growBuffer(laneOf(index, lane)); });
      warp.ready |= std::exchange(warp.full, 0);
      continue;
    }
    if (warp.atActiveMask == 0)
      return;
    resolveActiveMask(index);
  }
}

/// Lets all threads pass the barrier when every live one has reached it.
bool BlockRunner::releaseBarrier() {
  const std::uint32_t warps = (threads_ + kWarpLanes - 1) / kWarpLanes;
  for (std::uint32_t i = 0; i < warps; ++i)
    if ((warps_[i].atBarrier | warps_[i].done) != warps_[i].lanes)
      return false;
  for (std::uint32_t i = 0; i < warps; ++i)
    warps_[i].ready = std::exchange(warps_[i].atBarrier, 0);
  voteResult_ = {votes_.count, votes_.count == votes_.arrived};
  votes_ = {};
  return true;
}

BlockRunner::Lane *BlockRunner::takeReady(Warp &warp) {
  if (warp.ready == 0)
    return nullptr;
  const int lane = std::countr_zero(warp.ready);
  warp.ready &= warp.ready - 1;
  return &laneOf(static_cast<std::uint32_t>(&warp - warps_.data()), lane);
}

void BlockRunner::enter(Lane &lane) {
  lane_ = &lane;
  warp_ = &warps_[lane.warp];
  ::threadIdx = lane.index;
  if (recording_) {
    if (lane.buffer == nullptr)
      giveBuffer(lane);
    probe::detail::recorder = &lane.recorder;
  }
}

void BlockRunner::switchTo(Context &from, Context &to) {
  from.sanitized.leaveFor(to.sanitized);
  const boost::context::detail::transfer_t back =
      boost::context::detail::jump_fcontext(to.handle, &from);
  auto &left = *static_cast<Context *>(back.data);
  from.sanitized.arriveFrom(left.sanitized);
  left.handle = back.fctx;
}

/// The running lane waits; its bit is already in the mask of what it waits for.
void BlockRunner::suspend() {
  Stack &own = *lane_->stack;
  Lane *const next = takeReady(*warp_);
  if (next == nullptr) {
    switchTo(own, scheduler_);
    return;
  }
  enter(*next);
  if (next->stack == nullptr)
    next->stack = stacks_.acquire();
  switchTo(own, *next->stack);
}

void BlockRunner::fiber(boost::context::detail::transfer_t from) {
  auto &left = *static_cast<Context *>(from.data);
  left.handle = from.fctx;
  activeRunner->lane_->stack->sanitized.arriveFrom(left.sanitized);
  activeRunner->runThreads();
}

/// A stack's life: it runs one thread after another, and sleeps in the pool between.
void BlockRunner::runThreads() {
  Stack &own = *lane_->stack;
  for (;;) {
    try {
      call_->runThread(call_->call);
    } catch (const ThreadExit &) {
    }
    lane_->stack = nullptr;
    warp_->done |= lane_->bit;
    Lane *const next = takeReady(*warp_);
    if (next == nullptr) {
      stacks_.release(&own);
      switchTo(own, scheduler_);
    } else {
      enter(*next);
      if (next->stack == nullptr) {
        next->stack = &own;
      } else {
        stacks_.release(&own);
        switchTo(own, *next->stack);
      }
    }
  }
}

int BlockRunner::barrier(detail::Vote vote, int predicate) {
  ++votes_.arrived;
  votes_.count += predicate != 0;
  warp_->atBarrier |= lane_->bit;
  suspend();
  switch (vote) {
  case detail::Vote::Count:
    return voteResult_.count;
  case detail::Vote::And:
    return voteResult_.all;
  case detail::Vote::Or:
    return voteResult_.count != 0;
  case detail::Vote::None:
    break;
  }
  return 0;
}

void BlockRunner::yield() {
  warp_->yielded |= lane_->bit;
  suspend();
}

void BlockRunner::drain() {
  warp_->full |= lane_->bit;
  suspend();
}

std::uint32_t BlockRunner::laneId() const {
  return static_cast<std::uint32_t>(std::countr_zero(lane_->bit));
}

void BlockRunner::giveBuffer(Lane &lane) {
  lane.buffer = buffers_.acquire();
  lane.capacity = EventBuffers::kEvents;
  lane.recorder.next = lane.buffer;
  lane.recorder.end = lane.buffer + lane.capacity;
  warps_[lane.warp].streams[std::countr_zero(lane.bit)] = lane.buffer;
}

void BlockRunner::takeBuffer(Lane &lane) {
  if (lane.ownBuffer)
    lane.ownBuffer.reset();
  else
    buffers_.release(lane.buffer);
  lane.buffer = nullptr;
}

/// Doubles the buffer of a lane that is full of events nobody can merge yet.
void BlockRunner::growBuffer(Lane &lane) {
  const Event *&read = warps_[lane.warp].streams[std::countr_zero(lane.bit)];
  const auto left = static_cast<std::size_t>(lane.recorder.next - read);
  const std::size_t capacity = 2 * std::max(lane.capacity, left);
  auto buffer = std::make_unique<Event[]>(capacity + 1);
  std::copy(read, static_cast<const Event *>(lane.recorder.next), buffer.get());
  takeBuffer(lane);
  lane.ownBuffer = std::move(buffer);
  lane.buffer = lane.ownBuffer.get();
  lane.capacity = capacity;
  lane.recorder.next = lane.buffer + left;
  lane.recorder.end = lane.buffer + capacity;
  read = lane.buffer;
}

/// Merges what the warp's lanes have recorded so far. Lanes that were full go on when there is
/// room for a good deal more.
void BlockRunner::merge(std::uint32_t index) {
  Warp &warp = warps_[index];
  std::uint32_t withBuffer = 0;
  forEachLane(warp.lanes, [&](int i) {
    Lane &lane = laneOf(index, i);
    if (lane.buffer == nullptr)
      return;
    withBuffer |= lane.bit;
    *lane.recorder.next = (warp.done & lane.bit) != 0 ? kFinished : kStarved;
  });
  warp.merger.advance(warp.streams, warp.sink);
  forEachLane(withBuffer, [&](int i) {
    Lane &lane = laneOf(index, i);
    const Event *&read = warp.streams[i];
    if (read == lane.recorder.next) {
      read = (warp.done & lane.bit) != 0 ? &kFinished : &kStarved;
      takeBuffer(lane);
      warp.ready |= warp.full & lane.bit;
      warp.full &= ~lane.bit;
    } else if ((warp.full & lane.bit) != 0) {
      const auto left = static_cast<std::size_t>(lane.recorder.next - read);
      if (left > lane.capacity / 2)
        return;
      std::memmove(lane.buffer, read, left * sizeof(Event));
      lane.recorder.next = lane.buffer + left;
      read = lane.buffer;
      warp.ready |= lane.bit;
      warp.full &= ~lane.bit;
    }
  });
}

namespace {

/// What CUDA leaves undefined, once in a run.
void warnOfMask(detail::WarpOperation operation, std::uint32_t mask) {
  static std::atomic<bool> isTold = false;
  if (!isTold.exchange(true))
    warn(Code::LaneNotInMask,
         "kernel '%s': a lane calls %s with a mask (0x%08x) that leaves it out: it is alone there",
         kernelName, operationName(operation), mask);
}

} // namespace

std::uint64_t BlockRunner::exchange(detail::WarpOperation operation, std::uint32_t mask,
                                    std::uint64_t value, std::uint32_t source) {
  Lane &self = *lane_;
  if ((mask & self.bit) == 0) {
    warnOfMask(operation, mask);
    mask = self.bit;
  }
  self.operation = operation;
  self.mask = mask;
  self.exchange.value = value;
  self.exchange.source = source;
  warp_->atOperation |= self.bit;
  std::uint32_t takingPart = 0;
  if (operationComplete(*warp_, self, takingPart)) {
    completeOperation(*warp_, self.warp, self, takingPart);
    if (threads_ > kWarpLanes) {
      // The other warps first: they are about as far, and may yet read what this one overwrites.
      warp_->hasMet = true;
      switchTo(*self.stack, scheduler_);
    } else {
      warp_->ready &= ~self.bit;
    }
    return self.exchange.result;
  }
  suspend();
  return self.exchange.result;
}

/// True when every live lane the mask names waits in the same operation with the same mask.
bool BlockRunner::operationComplete(const Warp &warp, const Lane &lane,
                                    std::uint32_t &takingPart) const {
  takingPart = lane.mask & warp.lanes & ~warp.done;
  if ((takingPart & ~warp.atOperation) != 0)
    return false;
  bool agree = true;
  forEachLane(takingPart, [&](int i) {
    const Lane &other = laneOf(lane.warp, i);
    agree = agree && other.operation == lane.operation && other.mask == lane.mask;
  });
  return agree;
}

void BlockRunner::completeOperation(Warp &warp, std::uint32_t index, const Lane &lane,
                                    std::uint32_t takingPart) {
  LaneExchange *exchanges[kWarpLanes] = {};
  forEachLane(takingPart, [&](int i) { exchanges[i] = &laneOf(index, i).exchange; });
  perform(lane.operation, takingPart, exchanges);
  warp.atOperation &= ~takingPart;
  warp.ready |= takingPart;
}

/// Operations whose last missing lane has exited since.
bool BlockRunner::completeOperations(std::uint32_t index) {
  Warp &warp = warps_[index];
  bool any = false;
  forEachLane(warp.atOperation, [&](int i) {
    const Lane &lane = laneOf(index, i);
    std::uint32_t takingPart = 0;
    if ((warp.atOperation & lane.bit) != 0 && operationComplete(warp, lane, takingPart)) {
      completeOperation(warp, index, lane, takingPart);
      any = true;
    }
  });
  return any;
}

std::uint32_t BlockRunner::activeMask(const void *place) {
  lane_->place = place;
  warp_->atActiveMask |= lane_->bit;
  Lane &self = *lane_;
  suspend();
  return static_cast<std::uint32_t>(self.exchange.result);
}

/// No lane of the warp can go on: those that wait at the place of the first one are together.
void BlockRunner::resolveActiveMask(std::uint32_t index) {
  Warp &warp = warps_[index];
  const void *const place = laneOf(index, std::countr_zero(warp.atActiveMask)).place;
  std::uint32_t together = 0;
  forEachLane(warp.atActiveMask, [&](int i) {
    if (laneOf(index, i).place == place)
      together |= 1u << i;
  });
  forEachLane(together, [&](int i) { laneOf(index, i).exchange.result = together; });
  warp.atActiveMask &= ~together;
  warp.ready |= together;
}

void BlockRunner::reportDeadlock(std::uint64_t block) const {
  std::uint32_t live = 0;
  std::uint32_t atBarrier = 0;
  std::string waiting;
  const std::uint32_t warps = (threads_ + kWarpLanes - 1) / kWarpLanes;
  for (std::uint32_t i = 0; i < warps; ++i) {
    const Warp &warp = warps_[i];
    live += static_cast<std::uint32_t>(std::popcount(warp.lanes & ~warp.done));
    atBarrier += static_cast<std::uint32_t>(std::popcount(warp.atBarrier));
    if (warp.atOperation == 0 || !waiting.empty())
      continue;
    const Lane &lane = laneOf(i, std::countr_zero(warp.atOperation));
    char text[160];
    std::snprintf(text, sizeof text,
                  "; lanes 0x%08x of warp %u wait in %s with mask 0x%08x, lanes 0x%08x do not come",
                  warp.atOperation, i, operationName(lane.operation), lane.mask,
                  lane.mask & warp.lanes & ~warp.done & ~warp.atOperation);
    waiting = text;
  }
  fatal(Code::Deadlock,
        "kernel '%s' is stuck in block %llu: %u of its %u live threads wait at a barrier%s",
        kernelName, static_cast<unsigned long long>(block), atBarrier, live, waiting.c_str());
}

} // namespace relayout::host
