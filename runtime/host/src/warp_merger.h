// SPDX-License-Identifier: Apache-2.0
// Executor: turns the event streams of a warp's lanes into warp accesses, as a GPU groups lanes
// that diverge and meet again at the end of the construct that parted them.
#pragma once

#include "failure.h"
#include "relayout/host/probe.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace relayout::host {

inline constexpr std::uint32_t kWarpLanes = 32;
inline constexpr std::uint32_t kAllLanes = 0xffffffffu;

/// Merges one warp. Lanes that stand at the same probe of the same frame go on together; among
/// several probes the one that comes first in the program goes first. A frame is the thread, one
/// iteration of a loop, or one call, and is left when all its lanes stand at its end.
///
/// Each lane's stream ends in a mark, Starved or Finished, so that reading needs no bounds check.
class WarpMerger {
public:
  using Event = probe::detail::Event;
  using Kind = probe::detail::EventKind;

  /// Next unread event of each lane. Only the lanes of the mask given to reset() are looked at.
  using Streams = const Event *[kWarpLanes];

  /// Starts over with these lanes at the beginning of the kernel.
  void reset(std::uint32_t lanes) {
    frames_.clear();
    frames_.push_back({FrameKind::Thread, 0, lanes});
  }

  /// Reads as far as every lane that matters has events. The sink is told, in warp order:
  ///   access(key, mask, streams)  events under `streams` hold the addresses of the mask's lanes
  ///   loopEntered(id), loopIterated(id, times)
  /// \returns true when all lanes have finished
  template <class Sink> bool advance(Streams &streams, Sink &sink) {
    while (!frames_.empty()) {
      const Frame frame = frames_.back();
      const bool moved = frame.kind == FrameKind::Loop ? stepLoop(frame, streams, sink)
                                                       : stepSequence(frame, streams, sink);
      if (!moved)
        return false;
    }
    return true;
  }

private:
  enum class FrameKind : std::uint32_t { Thread, Call, Iteration, Loop };
  struct Frame {
    FrameKind kind;
    std::uint32_t loop;
    std::uint32_t lanes;
  };

  /// Of a mask that is not empty; the modulo says so to the compiler.
  static std::uint32_t firstLane(std::uint32_t lanes) {
    return static_cast<std::uint32_t>(std::countr_zero(lanes)) % kWarpLanes;
  }

  static bool endsSequence(Kind kind) { return kind >= Kind::LoopNext; }

  static void consume(Streams &streams, std::uint32_t lanes) {
    if (lanes == kAllLanes) {
      for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane)
        ++streams[lane];
      return;
    }
    for (std::uint32_t left = lanes; left != 0; left &= left - 1)
      ++streams[firstLane(left)];
  }

  static bool agree(const Streams &streams, std::uint32_t lanes, std::uint64_t key) {
    std::uint64_t differences = 0;
    if (lanes == kAllLanes) {
      for (std::uint32_t lane = 0; lane < kWarpLanes; ++lane)
        differences |= streams[lane]->key ^ key;
      return differences == 0;
    }
    for (std::uint32_t left = lanes; left != 0; left &= left - 1)
      differences |= streams[firstLane(left)]->key ^ key;
    return differences == 0;
  }

  /// A warp stays in a loop as long as one of its lanes.
  static std::uint64_t mostIterations(const Streams &streams, std::uint32_t lanes) {
    std::uint64_t most = 0;
    for (std::uint32_t left = lanes; left != 0; left &= left - 1)
      most = std::max(most, streams[firstLane(left)]->address);
    return most;
  }

  /// Lets `lanes`, all at `key`, take that step.
  template <class Sink>
  void take(std::uint64_t key, std::uint32_t lanes, Streams &streams, Sink &sink) {
    const Kind kind = probe::detail::eventKind(key);
    const std::uint32_t id = probe::detail::eventId(key);
    if (kind == Kind::Access)
      sink.access(key, lanes, streams);
    if (kind == Kind::BareLoop) {
      sink.loopEntered(id);
      sink.loopIterated(id, mostIterations(streams, lanes));
    }
    consume(streams, lanes);
    if (kind == Kind::LoopEnter) {
      sink.loopEntered(id);
      frames_.push_back({FrameKind::Loop, id, lanes});
      // What stands before the first iteration: the initialiser.
      frames_.push_back({FrameKind::Iteration, id, lanes});
    } else if (kind == Kind::CallEnter) {
      frames_.push_back({FrameKind::Call, 0, lanes});
    }
  }

  /// Thread, call or iteration. False when a lane has yet to say what it does next.
  template <class Sink> bool stepSequence(const Frame &frame, Streams &streams, Sink &sink) {
    const std::uint64_t first = streams[firstLane(frame.lanes)]->key;
    const Kind firstKind = probe::detail::eventKind(first);
    if (firstKind == Kind::Starved)
      return false;
    if (agree(streams, frame.lanes, first)) {
      if (!endsSequence(firstKind)) {
        take(first, frame.lanes, streams, sink);
        return true;
      }
      // All lanes of the loop go round together: the next iteration takes this one's frame.
      if (firstKind == Kind::LoopNext && frame.kind == FrameKind::Iteration &&
          frames_[frames_.size() - 2].lanes == frame.lanes) {
        consume(streams, frame.lanes);
        sink.loopIterated(frame.loop, 1);
        return true;
      }
      return leaveSequence(frame, streams);
    }

    std::uint64_t least = ~std::uint64_t{0};
    std::uint32_t group = 0;
    for (std::uint32_t left = frame.lanes; left != 0; left &= left - 1) {
      const std::uint32_t lane = firstLane(left);
      const std::uint64_t key = streams[lane]->key;
      const Kind kind = probe::detail::eventKind(key);
      if (kind == Kind::Starved)
        return false;
      if (endsSequence(kind) || key > least)
        continue;
      group = key < least ? 1u << lane : group | 1u << lane;
      least = key;
    }
    if (group == 0)
      return leaveSequence(frame, streams);
    take(least, group, streams, sink);
    return true;
  }

  bool leaveSequence(const Frame &frame, Streams &streams) {
    for (std::uint32_t left = frame.lanes; left != 0; left &= left - 1) {
      const std::uint32_t lane = firstLane(left);
      const Kind kind = probe::detail::eventKind(streams[lane]->key);
      const bool fits = frame.kind == FrameKind::Thread ? kind == Kind::Finished
                        : frame.kind == FrameKind::Call ? kind == Kind::CallExit
                        : frame.kind == FrameKind::Iteration
                            ? kind == Kind::LoopNext || kind == Kind::LoopExit
                            : false;
      if (!fits)
        malformed(frame, kind);
      if (frame.kind == FrameKind::Call)
        ++streams[lane];
    }
    frames_.pop_back();
    return true;
  }

  template <class Sink> bool stepLoop(const Frame &frame, Streams &streams, Sink &sink) {
    std::uint32_t leaving = 0;
    for (std::uint32_t left = frame.lanes; left != 0; left &= left - 1) {
      const std::uint32_t lane = firstLane(left);
      if (probe::detail::eventKind(streams[lane]->key) == Kind::LoopExit)
        leaving |= 1u << lane;
    }
    consume(streams, leaving);
    const std::uint32_t staying = frame.lanes & ~leaving;
    if (staying == 0) {
      frames_.pop_back();
      return true;
    }
    frames_.back().lanes = staying;
    consume(streams, staying);
    sink.loopIterated(frame.loop, 1);
    frames_.push_back({FrameKind::Iteration, frame.loop, staying});
    return true;
  }

  /// The probes of a lowered program nest by construction; anything else is a bug of ours.
  [[noreturn]] static void malformed(const Frame &frame, Kind kind) {
    fatal(Code::ExecutorBug, "internal error: event %u ends frame %u", static_cast<unsigned>(kind),
          static_cast<unsigned>(frame.kind));
  }

  std::vector<Frame> frames_;
};

} // namespace relayout::host
